import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../app/db/array-literal";
import { toBytea } from "../../app/db/bulk";
import { withDatabase } from "../../app/db/client";
import type { Address } from "../../app/domain/address";
import type { GiftCardTier } from "../../app/domain/gift-cards/gift-card";
import type { Member } from "../../app/services/access/members";
import { createGiftCardReward, publishGiftCardReward } from "../../app/services/gift-cards/drafts";
import { getGiftCardReward } from "../../app/services/gift-cards/gift-cards";
import { addGiftCardCodes } from "../../app/services/gift-cards/stock";
import { setKeyEnvironment } from "../../app/services/keyring/keyring";

/** Creates a key in the form of GIFT_CARD_KEYS. */
export function createGiftCardKey(id: string): string {
  return `${id}:${randomBytes(32).toString("hex")}`;
}

/** Gives this process these gift card keys; the first one encrypts. */
export function useGiftCardKeys(...keys: readonly string[]): void {
  setKeyEnvironment({ GIFT_CARD_KEYS: keys.join(","), DATA_DIR: "nowhere" });
}

/** Creates unique codes. */
export function createCodes(count: number, prefix = "CODE"): string[] {
  return Array.from({ length: count }, () => `${prefix}-${randomBytes(8).toString("hex")}`);
}

/** Stores wallets with points, without ledger events. */
export async function storeWallets(
  { pointSystemId }: Member,
  wallets: readonly { address: Address; points: number; isBlacklisted?: boolean }[],
): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      with w as (
        select * from unnest(
          ${toArrayLiteral(wallets.map(({ address }) => toBytea(address)))}::bytea[],
          ${toArrayLiteral(wallets.map(({ points }) => String(points)))}::bigint[],
          ${toArrayLiteral(wallets.map((wallet) => String(wallet.isBlacklisted ?? false)))}::boolean[]
        ) as w(address, points, is_blacklisted)
      ), banned as (
        insert into blacklist (point_system_id, address)
        select ${pointSystemId}::uuid, address from w where is_blacklisted
      ), counted as (
        update point_system_totals t set wallets = t.wallets + n.wallets,
          blacklisted_wallets = t.blacklisted_wallets + n.blacklisted
        from (
          select count(*) as wallets, count(*) filter (where is_blacklisted) as blacklisted from w
        ) n
        where t.point_system_id = ${pointSystemId}
      )
      insert into wallets (point_system_id, address, points, is_blacklisted)
      select ${pointSystemId}::uuid, address, points, is_blacklisted from w`),
  );
}

/** Publishes a gift card reward with the terms that it has. */
export async function publishAsSeen(owner: Member<"owner">, id: string) {
  return publishGiftCardReward(owner, id, (await getGiftCardReward(owner, id)).terms);
}

/** Creates an active reward with codes in its tiers. */
export async function createActiveReward(
  owner: Member<"owner">,
  tiers: readonly (GiftCardTier & { codes: readonly string[] })[],
): Promise<string> {
  const { id } = await createGiftCardReward(owner, {
    name: "Thank you",
    tiers: tiers.map(({ label, minPoints }) => ({ label, minPoints })),
  });
  for (const { label, codes } of tiers) {
    if (codes.length > 0) await addGiftCardCodes(owner, id, label, codes);
  }
  await publishAsSeen(owner, id);
  return id;
}

/** Reads the cards of a reward as stored. */
export async function readCards(rewardId: string) {
  return withDatabase((db) =>
    db.execute<{
      id: string;
      address: Address | null;
      tier: string;
      isRevealed: boolean;
      keyId: string;
      distributedAt: Date | null;
      claimedAt: Date | null;
    }>(sql`
      select id, '0x' || encode(address, 'hex') as address, tier_label as tier,
        is_revealed as "isRevealed", code_key_id as "keyId",
        distributed_at as "distributedAt", claimed_at as "claimedAt"
      from gift_cards where reward_id = ${rewardId} order by id`),
  );
}
