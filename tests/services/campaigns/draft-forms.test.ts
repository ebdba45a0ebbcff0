import { expect, test } from "vitest";
import * as campaigns from "../../../app/routes/dashboard/campaigns/new";
import * as giftCards from "../../../app/routes/dashboard/gift-cards/new";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import type { Member } from "../../../app/services/access/members";
import { getCampaign } from "../../../app/services/campaigns/campaigns";
import { cancelCampaign } from "../../../app/services/campaigns/steps";
import { cancelGiftCardReward } from "../../../app/services/gift-cards/drafts";
import { listRewardEntries } from "../../../app/services/rewards/list";
import { createOwner } from "../../support/operators";
import { callAction, callLoader, startTestSession } from "../../support/pages";

const CAMPAIGN = {
  ...{ tokenType: "solana", chainId: "", tokenAddress: "", tokenSymbol: "", tokenDecimals: "" },
  ...{ totalAmount: "10", minPoints: "1", maxPoints: "", deadline: "", timeZone: "UTC" },
};
const cancel = async (owner: Member<"owner">, id: string) =>
  cancelCampaign(owner, id, (await getCampaign(owner, id)).campaignId);
const GIFT_CARDS = { labels: "Gold", thresholds: "100" };

test.each([
  ["an airdrop", campaigns, CAMPAIGN, "totalAmount", "campaign.create"],
  ["gift cards", giftCards, GIFT_CARDS, "thresholds", "gift_cards.create"],
] as const)(
  "a form for %s that is sent twice, at once or again, makes one draft; with other terms it makes another",
  async (_, { action, loader }, fields, term, created) => {
    const owner = await createOwner();
    const { actor, pointSystemId } = owner;
    const cookie = await startTestSession(actor);
    const readToken = async () => (await callLoader<{ token: string }>(loader, owner, {})).token;
    const token = await readToken();
    const send = async (changed: Readonly<Record<string, string>> = {}) => {
      const body = new URLSearchParams({ name: "Spring", ...fields, token, ...changed });
      const answer = await callAction<unknown>(action, actor, cookie, { pointSystemId }, body);
      expect(answer).toMatchObject({ status: 302 });
      return (answer as Response).headers.get("location");
    };
    const countDrafts = async () => (await listRewardEntries(owner)).rows.length;
    const [first, ...others] = await Promise.all([send(), send(), send()]);
    expect([...others, await send()]).toEqual([first, first, first]);
    expect(await countDrafts()).toBe(1);

    expect(await send({ [term]: "20" })).not.toBe(first);
    expect(await send({ name: "Summer" })).not.toBe(first);
    expect(await countDrafts()).toBe(3);
    expect(await send({ token: await readToken() })).not.toBe(first);
    expect(await countDrafts()).toBe(4);
    const filter = { action: created, actor: null, beforeId: null };
    expect((await listPointSystemAudit(owner, filter)).entries.length).toBe(4);
  },
);

test.each([
  ["an airdrop", campaigns, CAMPAIGN, "is drafted", cancel],
  ["gift cards", giftCards, GIFT_CARDS, "is a draft", cancelGiftCardReward],
] as const)(
  "a form for %s that is sent again says what became of its draft",
  async (_, { action, loader }, fields, drafted, end) => {
    const owner = await createOwner();
    const { actor, pointSystemId } = owner;
    const cookie = await startTestSession(actor);
    const { token } = await callLoader<{ token: string }>(loader, owner, {});
    const send = async () => {
      const body = new URLSearchParams({ name: "Spring", ...fields, token });
      const answer = await callAction<unknown>(action, actor, cookie, { pointSystemId }, body);
      const { headers } = answer as Response;
      const notice = headers.get("set-cookie")?.split(";")[0]?.split("=")[1] ?? "";
      const id = headers.get("location")?.split("/")[4] ?? "";
      return { id, text: Buffer.from(decodeURIComponent(notice), "base64").toString() };
    };
    const { id, text } = await send();
    expect(text).toContain(`Spring ${drafted}`);
    expect(await send()).toMatchObject({ id, text: expect.stringContaining(`Spring ${drafted}`) });
    await end(owner, id);
    const again = await send();
    expect(again).toMatchObject({
      id,
      text: expect.stringContaining("Spring is no longer a draft."),
    });
  },
);
