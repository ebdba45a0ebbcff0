import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { BUCKET_AMOUNT_MAX_WEI } from "../../../app/domain/campaigns/campaign";
import { formatTokenAmount } from "../../../app/domain/rewards/token-amount";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import { getMember, type Member } from "../../../app/services/access/members";
import { digestTerms, getCampaign } from "../../../app/services/campaigns/campaigns";
import { retrySplit, startRound, startSplit } from "../../../app/services/campaigns/splits";
import {
  cancelCampaign,
  createDraft,
  deleteDraft,
  openPayouts,
  publish,
  updateDraft,
} from "../../../app/services/campaigns/steps";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { listRewardEntries } from "../../../app/services/rewards/list";
import { listRewardsOfWallet } from "../../../app/services/rewards/rewards";
import {
  buildSplit,
  createActive,
  describeDraft,
  distribute,
  failSplit,
} from "../../support/campaign-drafts";
import {
  codeOf,
  createOperator,
  createOwner,
  failureOf,
  grant,
  tally,
  toActor,
} from "../../support/operators";
import { createAddress } from "../../support/scene";

const CONTRACT = `0x${"22".repeat(20)}` as Address;

async function createOwnerWithWallets(points: readonly number[]) {
  const owner = await createOwner();
  const addresses: Address[] = [];
  for (const own of points) {
    const address = createAddress();
    addresses.push(address);
    await grant(owner, address, own);
  }
  return { owner, addresses };
}

async function listActions(member: Member): Promise<string[]> {
  const filter = { action: null, actor: null, beforeId: null };
  const { entries } = await listPointSystemAudit(member, filter);
  return entries.map(({ action }) => action).filter((action) => action.startsWith("campaign."));
}

test("a draft is kept exactly, under an id of its own, and the audit log tells of it", async () => {
  const owner = await createOwner();
  const claimDeadline = new Date("2099-10-25T01:30:00.000Z");
  const { id, campaignId } = await createDraft(
    owner,
    describeDraft({
      totalAmount: "0.000000000000000001",
      minPoints: 100,
      maxPoints: 5_000,
      claimDeadline,
      deadlineTimeZone: "Europe/Berlin",
    }),
  );
  expect(campaignId).toMatch(/^CMP-[2-9B-DF-HJ-NP-TV-Z]{5}$/);
  expect(await getCampaign(owner, id)).toMatchObject({
    campaignId,
    status: "draft",
    campaignName: "Season one",
    tokenSymbol: "ETH",
    tokenDecimals: 18,
    tokenAddress: null,
    chainId: 84532,
    totalAmountWei: 1n,
    minPoints: 100,
    maxPoints: 5_000,
    claimDeadline,
    deadlineTimeZone: "Europe/Berlin",
    airdrop: null,
    rounds: [],
  });
  expect(await listActions(owner)).toEqual(["campaign.create"]);
});

test("an id that is taken is drawn again", async () => {
  const owner = await createOwner();
  const first = await createDraft(owner, describeDraft());
  const ids = [first.campaignId, first.campaignId, "CMP-ZZZZZ"];
  const second = await createDraft(owner, describeDraft(), {
    generateId: () => ids.shift() ?? "",
  });
  expect(second.campaignId).toBe("CMP-ZZZZZ");
});

test("SOL and BTC have their own decimals, no chain, and no bound by a contract", async () => {
  const owner = await createOwner();
  for (const [tokenType, tokenSymbol, tokenDecimals] of [
    ["solana", "SOL", 9],
    ["bitcoin", "BTC", 8],
  ] as const) {
    const draft = describeDraft({ tokenType, chainId: null, totalAmount: `1${"0".repeat(50)}` });
    const { id } = await createDraft(owner, draft);
    expect(await getCampaign(owner, id)).toMatchObject({
      tokenSymbol,
      tokenDecimals,
      chainId: null,
    });
  }
});

test("an amount that the token or the contract cannot hold is refused, with its field", async () => {
  const owner = await createOwner();
  const refuse = async (fields: Parameters<typeof describeDraft>[0]) => {
    const { code, details } = await failureOf(createDraft(owner, describeDraft(fields)));
    return [code, details.field];
  };
  const most = formatTokenAmount(BUCKET_AMOUNT_MAX_WEI, 18);
  const over = formatTokenAmount(BUCKET_AMOUNT_MAX_WEI + 1n, 18);
  for (const totalAmount of ["0", "0.0", "", "-1", "1e3", "1,000", "0x1", `0.${"0".repeat(18)}1`]) {
    expect(await refuse({ totalAmount }), totalAmount).toEqual([
      "token_amount_invalid",
      "totalAmount",
    ]);
  }
  expect(await refuse({ totalAmount: over })).toEqual(["token_amount_too_large", "totalAmount"]);
  const past = new Date(Date.now() - 1_000);
  expect(await refuse({ claimDeadline: past, deadlineTimeZone: "UTC" })).toEqual([
    "deadline_passed",
    "deadline",
  ]);
  await createDraft(owner, describeDraft({ totalAmount: most }));
});

test("a token's details are typed where its chain is not set up, and are marked so", async () => {
  const owner = await createOwner();
  const token = { tokenType: "custom", tokenAddress: createAddress() } as const;
  const missing = await failureOf(createDraft(owner, describeDraft(token)));
  expect([missing.code, missing.details.field]).toEqual(["token_details_missing", "tokenSymbol"]);
  const typed = { ...token, typedSymbol: "ABC", typedDecimals: 0, totalAmount: "7" };
  const { id } = await createDraft(owner, describeDraft(typed));
  expect(await getCampaign(owner, id)).toMatchObject({
    tokenSymbol: "ABC",
    tokenDecimals: 0,
    totalAmountWei: 7n,
    tokenReadAt: null,
  });
});

test("a draft is published only with the points that the operator saw", async () => {
  const owner = await createOwner();
  const { id } = await createDraft(owner, describeDraft());
  const seen = digestTerms(await getCampaign(owner, id));
  await updateDraft(owner, id, describeDraft({ pointsCounted: "balance" }));
  expect(await codeOf(publish(owner, id, seen))).toBe("campaign_changed");
});

test("a published campaign keeps its terms: no edit, no delete, no second publication", async () => {
  const owner = await createOwner();
  const { id } = await createDraft(owner, describeDraft());
  const seen = digestTerms(await getCampaign(owner, id));
  await updateDraft(owner, id, describeDraft({ totalAmount: "5" }));
  expect(await codeOf(publish(owner, id, seen))).toBe("campaign_changed");
  const terms = digestTerms(await getCampaign(owner, id));
  expect(await tally(Array.from({ length: 4 }, () => publish(owner, id, terms)))).toEqual({
    succeeded: 1,
    campaign_moved_on: 3,
  });
  expect(await codeOf(updateDraft(owner, id, describeDraft()))).toBe("campaign_moved_on");
  expect(await codeOf(deleteDraft(owner, id))).toBe("campaign_moved_on");
  const campaign = await getCampaign(owner, id);
  expect(campaign).toMatchObject({ status: "active", totalAmountWei: 5n * 10n ** 18n });
  expect(campaign.publishedAt).toBeInstanceOf(Date);
  expect(await listActions(owner)).toEqual([
    "campaign.publish",
    "campaign.update",
    "campaign.create",
  ]);
});

test("a draft whose deadline has come is not published", async () => {
  const owner = await createOwner();
  const claimDeadline = new Date(Date.now() + 3_600_000);
  const { id } = await createDraft(
    owner,
    describeDraft({ claimDeadline, deadlineTimeZone: "UTC" }),
  );
  await withDatabase((db) =>
    db.execute(sql`
      update rewards set claim_deadline = now() - interval '1 second' where id = ${id}::uuid`),
  );
  const terms = digestTerms(await getCampaign(owner, id));
  expect(await codeOf(publish(owner, id, terms))).toBe("deadline_passed");
});

test("a draft is deleted whole", async () => {
  const owner = await createOwner();
  const { id } = await createDraft(owner, describeDraft());
  await deleteDraft(owner, id);
  expect(await codeOf(getCampaign(owner, id))).toBe("not_found");
});

test("a campaign is cancelled by typing its id, and not once it is on chain", async () => {
  const { owner } = await createOwnerWithWallets([5]);
  const { id, campaignId } = await createActive(owner);
  const wrong = await failureOf(cancelCampaign(owner, id, "CMP-"));
  expect([wrong.code, wrong.details.field]).toEqual(["confirmation_wrong", "confirmation"]);
  await cancelCampaign(owner, id, ` ${campaignId.toLowerCase()} `);
  expect((await getCampaign(owner, id)).status).toBe("cancelled");
  expect(await codeOf(cancelCampaign(owner, id, campaignId))).toBe("campaign_moved_on");
  expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_moved_on");

  const other = await createActive(owner);
  await startSplit(owner, other.id, null);
  await withDatabase((db) =>
    db.execute(sql`
      update airdrops set onchain_id = 7, contract_address = decode(${CONTRACT.slice(2)}, 'hex')
      where reward_id = ${other.id}::uuid`),
  );
  expect(await codeOf(cancelCampaign(owner, other.id, other.campaignId))).toBe("campaign_on_chain");
});

test("a split is queued once, with its airdrop, and only for a published campaign", async () => {
  const { owner } = await createOwnerWithWallets([5, 7]);
  const draft = await createDraft(owner, describeDraft());
  expect(await codeOf(startSplit(owner, draft.id, null))).toBe("campaign_moved_on");
  const { id } = await createActive(owner);
  expect(await tally(Array.from({ length: 4 }, () => startSplit(owner, id, 256)))).toEqual({
    succeeded: 1,
    campaign_split_running: 3,
  });
  const { airdrop, rounds } = await getCampaign(owner, id);
  expect(airdrop).toMatchObject({ status: "building", onchainId: null });
  expect(rounds).toMatchObject([
    {
      round: 0,
      status: "queued",
      bucketSizeChosen: 256,
      totalAmountWei: 1_000_500_000_000_000_000_000n,
    },
  ]);
});

test("a split needs an eligible wallet: points below the minimum or a blacklisted one are none", async () => {
  const { owner, addresses } = await createOwnerWithWallets([5, 50]);
  await addToBlacklist(owner, [{ address: addresses[1] ?? createAddress(), reason: null }]);
  const { id } = await createActive(owner, { minPoints: 10 });
  expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_no_wallets");
  const solana = await createActive(owner, { tokenType: "solana", chainId: null });
  await startSplit(owner, solana.id, null);
  expect((await getCampaign(owner, solana.id)).airdrop).toBeNull();
});

test("a split that failed is tried again in its place", async () => {
  const { owner } = await createOwnerWithWallets([5]);
  const { id } = await createActive(owner);
  await startSplit(owner, id, 512);
  expect(await codeOf(retrySplit(owner, id))).toBe("campaign_moved_on");
  await failSplit(owner, id, "The disk is full.");
  expect(await tally([retrySplit(owner, id), retrySplit(owner, id)])).toEqual({
    succeeded: 1,
    campaign_moved_on: 1,
  });
  const { rounds } = await getCampaign(owner, id);
  expect(rounds).toMatchObject([
    { round: 0, status: "queued", bucketSizeChosen: 512, failure: null },
  ]);
});

test("wallets are added by rounds only while the airdrop is active, one round at a time", async () => {
  const { owner, addresses } = await createOwnerWithWallets([5, 7]);
  const { id } = await createActive(owner);
  await startSplit(owner, id, null);
  await buildSplit(owner, id);
  expect(await codeOf(startRound(owner, id, "10"))).toBe("campaign_moved_on");
  await distribute(owner, id, { onchainId: 901n, contractAddress: CONTRACT });
  for (const amount of ["0", "x", `1.${"0".repeat(18)}1`]) {
    expect(await codeOf(startRound(owner, id, amount)), amount).toBe("token_amount_invalid");
  }
  const late = createAddress();
  await grant(owner, late, 9);
  expect(await tally([startRound(owner, id, "10"), startRound(owner, id, "10")])).toEqual({
    succeeded: 1,
    campaign_split_running: 1,
  });
  await failSplit(owner, id, "No wallet.");
  await startRound(owner, id, "12");
  await buildSplit(owner, id);
  const { rounds } = await getCampaign(owner, id);
  expect(rounds).toMatchObject([
    { round: 0, wallets: addresses.length },
    { round: 1, wallets: 1, totalAmountWei: 12n * 10n ** 18n, totalWeight: 9n },
  ]);
  expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_moved_on");
});

test("a round needs a wallet without a share; what a failed round left behind is none", async () => {
  const { owner, addresses } = await createOwnerWithWallets([5, 7]);
  const { id } = await createActive(owner);
  await startSplit(owner, id, null);
  await buildSplit(owner, id);
  await distribute(owner, id, { onchainId: 902n, contractAddress: CONTRACT });
  expect(await codeOf(startRound(owner, id, "10"))).toBe("campaign_no_wallets");
  const late = createAddress();
  await grant(owner, late, 9);
  await startRound(owner, id, "10");
  await buildSplit(owner, id);
  await failSplit(owner, id, "The check found that the amounts do not add up.");
  await startRound(owner, id, "10");
  const { rounds } = await getCampaign(owner, id);
  expect(rounds).toMatchObject([{ wallets: addresses.length }, { round: 1, status: "queued" }]);
});

test("a campaign whose creation was undone is not split again by an old form, also after a failed round", async () => {
  const { owner } = await createOwnerWithWallets([5, 7]);
  const { id } = await createActive(owner);
  await startSplit(owner, id, null);
  await buildSplit(owner, id);
  await distribute(owner, id, { onchainId: 903n, contractAddress: CONTRACT });
  await grant(owner, createAddress(), 9);
  await startRound(owner, id, "10");
  await failSplit(owner, id, "The disk is full.");
  await withDatabase((db) =>
    db.execute(sql`select undo_airdrop(${owner.pointSystemId}::uuid, ${id}::uuid)`),
  );
  expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_moved_on");
  await retrySplit(owner, id);
  const { airdrop, rounds } = await getCampaign(owner, id);
  expect(airdrop?.status).toBe("ready");
  expect(rounds).toMatchObject([{ status: "built" }, { round: 1, totalAmountWei: 10n ** 19n }]);
});

test("the payouts of a coin without a contract are opened once it is split, and the API tells the amounts", async () => {
  const { owner, addresses } = await createOwnerWithWallets([5, 15]);
  const solana = { tokenType: "solana", chainId: null, totalAmount: "10" } as const;
  const { id } = await createActive(owner, solana);
  expect(await codeOf(openPayouts(owner, id))).toBe("campaign_not_split");
  await startSplit(owner, id, null);
  expect(await codeOf(openPayouts(owner, id))).toBe("campaign_not_split");
  await buildSplit(owner, id);
  expect(await tally([openPayouts(owner, id), openPayouts(owner, id)])).toEqual({
    succeeded: 1,
    campaign_moved_on: 1,
  });
  const { status, distributedAt } = await getCampaign(owner, id);
  expect([status, distributedAt]).toEqual(["distributed", expect.any(Date)]);
  const [first = createAddress()] = addresses;
  expect((await listRewardsOfWallet(owner.pointSystemId, first)).eligible).toMatchObject([
    { id, status: "distributed", allocatedAmount: 2.5 },
  ]);
  expect((await listActions(owner))[0]).toBe("campaign.hand_out");

  const onChain = await createActive(owner);
  await startSplit(owner, onChain.id, null);
  await buildSplit(owner, onChain.id);
  expect(await codeOf(openPayouts(owner, onChain.id))).toBe("campaign_moved_on");
});

test("nobody finds a campaign of another point system, by any step", async () => {
  const owner = await createOwner();
  const stranger = await createOwner();
  const { id, campaignId } = await createDraft(owner, describeDraft());
  const terms = digestTerms(await getCampaign(owner, id));
  const steps = [
    getCampaign(stranger, id),
    updateDraft(stranger, id, describeDraft()),
    deleteDraft(stranger, id),
    publish(stranger, id, terms),
    cancelCampaign(stranger, id, campaignId),
    startSplit(stranger, id, null),
    retrySplit(stranger, id),
    startRound(stranger, id, "1"),
    openPayouts(stranger, id),
    getCampaign(owner, "no-id"),
  ];
  expect(await tally(steps)).toEqual({ not_found: steps.length });
  expect((await listRewardEntries(stranger)).rows).toEqual([]);
  const operator = await createOperator();
  expect(await codeOf(getMember(toActor(operator), owner.pointSystemId, "editor"))).toBe(
    "not_found",
  );
});

test("the list has rewards of both kinds, newest first, with their wallets", async () => {
  const { owner } = await createOwnerWithWallets([5, 7, 9]);
  const first = await createActive(owner);
  await startSplit(owner, first.id, null);
  await buildSplit(owner, first.id);
  const second = await createDraft(owner, describeDraft({ campaignName: "Season two" }));
  await withDatabase((db) =>
    db.execute(sql`
      insert into rewards (point_system_id, kind, campaign_name, status)
      values (${owner.pointSystemId}::uuid, 'giftcard', 'Thank you', 'draft')`),
  );
  const { rows, older } = await listRewardEntries(owner);
  expect(older).toBeNull();
  expect(rows).toMatchObject([
    { kind: "giftcard", campaignName: "Thank you", wallets: 0 },
    { id: second.id, campaignName: "Season two", status: "draft", wallets: 0 },
    { id: first.id, status: "active", airdropStatus: "building", wallets: 3 },
  ]);
});
