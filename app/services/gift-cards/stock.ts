import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import { Failure } from "../../domain/failure";
import { GIFT_CARDS_MAX } from "../../domain/gift-cards/gift-card";
import type { RewardStatus } from "../../domain/rewards/reward";
import type { Editor } from "../access/members";
import { getKeyring } from "../keyring/keyring";
import type { Keyring } from "../keyring/keys";
import { encryptGiftCardCode } from "./codes";
import { createFingerprinter, getCurrentKeyId } from "./fingerprints";
import { changeManyCards, type HeldReward, listTiers } from "./gift-cards";

/** The statuses in which a reward takes more codes. */
const STOCKABLE = ["draft", "active", "distributed"] as const satisfies readonly RewardStatus[];

/** The result of adding codes. */
export interface AddedCodes {
  readonly added: number;
  /** The number of codes that the reward has already, in any tier. */
  readonly present: number;
}

/**
 * Adds codes to a tier's pool, encrypted. From then on only a card's holder can read its code.
 * @param codes the codes, without repetitions
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`,
 *   `gift_card_keys_missing`, `gift_cards_limit_reached`
 */
export async function addGiftCardCodes(
  member: Editor,
  rewardId: string,
  tierLabel: string,
  codes: readonly string[],
): Promise<AddedCodes> {
  const { pointSystemId } = member;
  const keyring = getKeyring();
  return changeManyCards(member, rewardId, STOCKABLE, async (tx, reward, audit) => {
    await checkTier(tx, pointSystemId, reward, tierLabel);
    const stored = await countStoredCodes(tx, pointSystemId, reward.id, keyring);
    const fresh: string[] = [];
    for await (const batch of toBatches(codes)) {
      const known = await findKnownCodes(tx, pointSystemId, reward.id, keyring, batch);
      fresh.push(...batch.filter((_, i) => !known.has(i)));
    }
    if (stored + fresh.length > GIFT_CARDS_MAX) throw new Failure("gift_cards_limit_reached");
    for await (const batch of toBatches(fresh)) {
      await insertCodes(tx, { pointSystemId, rewardId: reward.id, tierLabel }, keyring, batch);
    }
    const added = fresh.length;
    const present = codes.length - added;
    if (added > 0) {
      await audit({
        action: "gift_codes.add",
        subject: reward.name,
        after: { id: reward.id, tier: tierLabel, codes: added },
      });
    }
    return { added, present };
  });
}

/**
 * Deletes the codes of a tier that are not assigned.
 * @throws {Failure} `not_found`, `gift_card_reward_busy`
 */
export function removeGiftCardCodes(
  member: Editor,
  rewardId: string,
  tierLabel: string,
): Promise<number> {
  const { pointSystemId } = member;
  return changeManyCards(
    member,
    rewardId,
    [...STOCKABLE, "cancelled"],
    async (tx, reward, audit) => {
      await checkTier(tx, pointSystemId, reward, tierLabel);
      const { count } = await tx.execute(sql`
      delete from gift_cards
      where point_system_id = ${pointSystemId} and reward_id = ${reward.id}
        and tier_label = ${tierLabel} and address is null`);
      if (count > 0) {
        await audit({
          action: "gift_codes.remove",
          subject: reward.name,
          before: { id: reward.id, tier: tierLabel, codes: count },
        });
      }
      return count;
    },
  );
}

async function checkTier(
  tx: Transaction,
  pointSystemId: string,
  { id }: HeldReward,
  tierLabel: string,
): Promise<void> {
  const tiers = await listTiers(tx, pointSystemId, id);
  if (!tiers.some(({ label }) => label === tierLabel)) throw new Failure("not_found");
}

/**
 * Counts the codes of a reward.
 * @throws {Failure} `gift_card_keys_missing` when some are under a key that is missing here: a
 *   repeated code could not be recognized among them
 */
async function countStoredCodes(
  tx: Transaction,
  pointSystemId: string,
  rewardId: string,
  keyring: Keyring,
): Promise<number> {
  const rows = await tx.execute<{ keyId: string; codes: number }>(sql`
    select code_key_id as "keyId", count(*)::float8 as codes from gift_cards
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
    group by code_key_id`);
  if (rows.some(({ keyId }) => !keyring.has(keyId))) throw new Failure("gift_card_keys_missing");
  return rows.reduce((sum, { codes }) => sum + codes, 0);
}

/**
 * Finds codes that a reward has already. It is one statement for all keys, so that a code that is
 * being re-encrypted is found under either key.
 * @returns their positions
 */
async function findKnownCodes(
  tx: Transaction,
  pointSystemId: string,
  rewardId: string,
  keyring: Keyring,
  codes: readonly string[],
): Promise<Set<number>> {
  const known = new Set<number>();
  const keyIds = [...keyring.keys()];
  const fingerprinters = keyIds.map((keyId) => createFingerprinter(keyring, keyId, rewardId));
  const rows = await tx.execute<{ position: number }>(sql`
    select ((n - 1) / ${keyIds.length}::int)::float8 as position
    from find_known_codes(
      ${pointSystemId}::uuid,
      ${rewardId}::uuid,
      ${toArrayLiteral(codes.flatMap(() => keyIds))}::text[],
      ${toArrayLiteral(codes.flatMap((code) => fingerprinters.map((make) => make(code))))}::bytea[]
    ) n`);
  for (const { position } of rows) known.add(position);
  return known;
}

async function insertCodes(
  tx: Transaction,
  tier: { pointSystemId: string; rewardId: string; tierLabel: string },
  keyring: Keyring,
  codes: readonly string[],
): Promise<void> {
  const { pointSystemId, rewardId, tierLabel } = tier;
  const makeFingerprint = createFingerprinter(keyring, getCurrentKeyId(keyring), rewardId);
  const cards = codes.map((code) => {
    const id = randomUUID();
    return {
      id,
      ...encryptGiftCardCode(keyring, { id, rewardId }, code),
      fingerprint: makeFingerprint(code),
    };
  });
  await tx.execute(sql`
    insert into gift_cards (point_system_id, reward_id, tier_label, code_key_id, needs_seal,
      id, code_ciphertext, code_nonce, code_fingerprint)
    select ${pointSystemId}::uuid, ${rewardId}::uuid, ${tierLabel}, ${getCurrentKeyId(keyring)}, true, c.*
    from unnest(
      ${toArrayLiteral(cards.map(({ id }) => id))}::uuid[],
      ${toArrayLiteral(cards.map(({ codeCiphertext }) => Buffer.from(codeCiphertext)))}::bytea[],
      ${toArrayLiteral(cards.map(({ codeNonce }) => Buffer.from(codeNonce)))}::bytea[],
      ${toArrayLiteral(cards.map(({ fingerprint }) => fingerprint))}::bytea[]
    ) as c`);
}
