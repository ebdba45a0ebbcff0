import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { auditLog } from "../../../app/db/schema/audit-log";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import type { Member } from "../../../app/services/access/members";
import { cancelCampaign } from "../../../app/services/campaigns/steps";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import { revealGiftCard } from "../../../app/services/gift-cards/reveal";
import { undoImport } from "../../../app/services/imports/steps";
import type { EncryptedText } from "../../../app/services/keyring/encryption";
import { openKeyring } from "../../../app/services/keyring/keys";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { getDelivery, listDeliveries, sendTest } from "../../../app/services/webhooks/deliveries";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "../../../app/services/webhooks/endpoints";
import { decryptSecret, rotateWebhookKeys } from "../../../app/services/webhooks/secrets";
import { getWebhook, listWebhooks } from "../../../app/services/webhooks/webhooks";
import { createActive } from "../../support/campaign-drafts";
import {
  createActiveReward,
  createCodes,
  createGiftCardKey,
  readCards,
  storeWallets,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { createMember, createOwner } from "../../support/operators";
import { listen, listSaid } from "../../support/said-events";
import { createAddress } from "../../support/scene";

const KEY = createGiftCardKey("k1");
beforeAll(() => useGiftCardKeys(KEY));

/** Creates an owner whose point system has one webhook for everything. */
async function createListened() {
  const owner = await createOwner();
  return { owner, ...(await listen(owner)) };
}

test("an import is said when its last wallet is credited, and when it is undone", async () => {
  const { owner } = await createListened();
  const banned = createAddress();
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  const rows = Array.from({ length: 1_200 }, () => [createAddress(), 2] as const);
  const importId = await commitFile(owner, toCsv(rows));
  expect((await listSaid(owner)).map(([type]) => type)).toEqual(["wallet.blacklisted"]);
  await runImports();
  await undoImport(owner, importId);
  await runImports();
  const file = { importId, fileName: "season.csv" };
  expect((await listSaid(owner)).slice(1)).toEqual([
    ["import.committed", { ...file, walletsCredited: 1_200, walletsSkipped: 0, points: 2_400 }],
    ["import.undone", file],
  ]);
});

test("gift cards are said with their wallets, up to 100 in a delivery, and a reveal without its code", async () => {
  const { owner } = await createListened();
  const { pointSystemId } = owner;
  const wallets = Array.from({ length: 130 }, () => ({ address: createAddress(), points: 10 }));
  await storeWallets(owner, wallets);
  const codes = createCodes(130);
  const rewardId = await createActiveReward(owner, [{ label: "Gold", minPoints: 5, codes }]);
  await distributeGiftCards(owner, rewardId, "everyone");
  const said = (await listSaid(owner)) as [string, { giftCards: { distributionId: string }[] }][];
  expect(said.map(([type, { giftCards }]) => [type, giftCards.length])).toEqual([
    ["gift_card.distributed", 100],
    ["gift_card.distributed", 30],
  ]);
  const cards = await readCards(rewardId);
  const expected = cards.map(({ id, address, tier }) => ({ distributionId: id, address, tier }));
  const told = said.flatMap(([, { giftCards }]) => giftCards);
  const byId = (a: { distributionId: string }, b: { distributionId: string }) =>
    a.distributionId < b.distributionId ? -1 : 1;
  expect(told.toSorted(byId)).toEqual(expected.toSorted(byId));

  const [card] = cards;
  if (!card?.address) throw new Error("No card was assigned");
  const { code, claimedAt } = await revealGiftCard({
    pointSystemId,
    cardId: card.id,
    address: card.address,
    ip: "192.0.2.1",
    userAgent: "",
  });
  const last = (await listSaid(owner)).at(-1);
  expect(last).toEqual([
    "gift_card.revealed",
    {
      rewardId,
      distributionId: card.id,
      address: card.address,
      firstRevealedAt: claimedAt.toISOString(),
    },
  ]);
  expect(JSON.stringify(await listSaid(owner))).not.toContain(code);
});

test("a campaign is said when it is published and when it is cancelled", async () => {
  const { owner } = await createListened();
  const { id, campaignId } = await createActive(owner);
  await cancelCampaign(owner, id, campaignId);
  const data = { rewardId: id, campaignId, name: "Season one", totalAmount: "1000.5" };
  expect(await listSaid(owner)).toEqual([
    ["campaign.published", expect.objectContaining(data)],
    ["campaign.cancelled", expect.objectContaining(data)],
  ]);
});

async function readSecret(id: string) {
  const [row] = await withDatabase((db) =>
    db.execute<EncryptedText & Record<string, unknown>>(sql`
      select secret_ciphertext as ciphertext, secret_nonce as nonce, secret_key_id as "keyId",
        former_key_id as "formerKeyId", former_until as "formerUntil"
      from webhook_endpoints where id = ${id}`),
  );
  if (!row) throw new Error("There is no webhook");
  return row;
}

test("secrets are encrypted again with the first key of the keyring, and still sign", async () => {
  const { owner, id, secret } = await createListened();
  const keys = `${createGiftCardKey("k2")},${KEY}`;
  useGiftCardKeys(keys);
  const rotation = await rotateWebhookKeys(
    openKeyring({ GIFT_CARD_KEYS: keys, DATA_DIR: "nowhere" }),
  );
  expect(rotation).toMatchObject({ damaged: [] });
  expect(rotation.rotated).toBeGreaterThan(0);
  const row = await readSecret(id);
  expect(row.keyId).toBe("k2");
  expect(decryptSecret({ pointSystemId: owner.pointSystemId, id }, row)).toBe(secret);
  // Bound to its endpoint: moved to another row, it does not decrypt.
  const other = { pointSystemId: owner.pointSystemId, id: randomUUID() };
  expect(() => decryptSecret(other, row)).toThrow();
});

test("a former secret that has expired or does not decrypt is cleared, and the new one is encrypted again", async () => {
  const lost = await createListened();
  const expired = await createListened();
  const newest = createGiftCardKey("k3");
  useGiftCardKeys(`${newest},${KEY}`);
  const secrets: string[] = [];
  for (const { owner, id } of [lost, expired]) {
    const { secretMark } = await getWebhook(owner, id);
    const { secret } = await rotateWebhookSecret(owner, id, secretMark);
    secrets.push(secret);
  }
  await withDatabase((db) =>
    db.execute(sql`update webhook_endpoints set former_until = now() where id = ${expired.id}`),
  );
  const keys = `${createGiftCardKey("k4")},${newest}`;
  useGiftCardKeys(keys);
  const rotation = await rotateWebhookKeys(
    openKeyring({ GIFT_CARD_KEYS: keys, DATA_DIR: "nowhere" }),
  );
  for (const [index, { owner, id }] of [lost, expired].entries()) {
    expect(rotation.damaged).not.toContain(id);
    const row = await readSecret(id);
    expect(row).toMatchObject({ keyId: "k4", formerKeyId: null, formerUntil: null });
    expect(decryptSecret({ pointSystemId: owner.pointSystemId, id }, row)).toBe(secrets[index]);
  }
});

test("a viewer reads a test's delivery without the address of who sent it, which an editor sees", async () => {
  const { owner, id } = await createListened();
  await sendTest(owner, id);
  const [sent] = (await listDeliveries(owner, id, null)).deliveries;
  const readAs = async (role: "editor" | "viewer") =>
    (await getDelivery(await createMember(owner, role), id, sent?.seq ?? "")).body;
  expect(await readAs("editor")).toContain(owner.actor.email);
  expect(await readAs("viewer")).toContain('"sentBy":"(address hidden)"');
});

test("a secret in a webhook's path or query is shown to editors alone, and stands in no audit log", async () => {
  const owner = await createOwner();
  const [editor, viewer] = [
    await createMember(owner, "editor"),
    await createMember(owner, "viewer"),
  ];
  const id = randomUUID();
  const eventTypes = ["import.committed"] as const;
  const url = new URL("https://hooks.example/first-secret?token=second-secret");
  await createWebhook(owner, { id, url, eventTypes });
  expect(await getWebhook(editor, id)).toMatchObject({ url: url.href });
  expect(await listWebhooks(editor)).toMatchObject([{ url: url.href }]);
  const shown = { url: "https://hooks.example/…" };
  expect(await getWebhook(viewer, id)).toMatchObject(shown);
  expect(await listWebhooks(viewer)).toMatchObject([shown]);
  await updateWebhook(owner, id, { url: new URL("third-secret", url), eventTypes });
  await deleteWebhook(owner, id);
  const list = async (member: Member) =>
    (await listPointSystemAudit(member, { action: null, actor: null, beforeId: null })).entries;
  const entries = (await list(owner)).filter(({ action }) => action.startsWith("webhook."));
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ["webhook.delete", shown.url],
    ["webhook.update", shown.url],
    ["webhook.create", shown.url],
  ]);
  expect(entries[1]?.after).toMatchObject({ id, ...shown, hasNewUrl: true });
  expect(JSON.stringify(entries)).not.toContain("secret");
  // Entries of former releases have the whole URL.
  await withDatabase((db) =>
    db.insert(auditLog).values({
      pointSystemId: owner.pointSystemId,
      actor: owner.actor.email,
      action: "webhook.update",
      subject: url.href,
      after: { id, url: url.href },
    }),
  );
  expect((await list(viewer))[0]).toMatchObject({ subject: shown.url, after: { id, ...shown } });
});

test("a receiver's answer, which may name its URL, is shown to editors and not to viewers", async () => {
  const { owner, id } = await createListened();
  const [editor, viewer] = [
    await createMember(owner, "editor"),
    await createMember(owner, "viewer"),
  ];
  await sendTest(owner, id);
  const answer = "Cannot POST /first-secret?token=second-secret";
  await withDatabase((db) =>
    db.execute(sql`
      update webhook_deliveries set answer = ${answer}, status = 404
      where point_system_id = ${owner.pointSystemId} and endpoint_id = ${id}`),
  );
  const seq = (await listDeliveries(owner, id, null)).deliveries[0]?.seq ?? "";
  expect(await getDelivery(editor, id, seq)).toMatchObject({ status: 404, answer });
  expect(await getDelivery(viewer, id, seq)).toMatchObject({ status: 404, answer: null });
});
