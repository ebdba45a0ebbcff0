import { sql } from "drizzle-orm";
import { toArrayLiteral, toBytesArray, toPlainArray } from "../../db/array-literal";
import { toBatches } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import { rewards } from "../../db/schema/rewards";
import { Failure } from "../../domain/failure";
import type { DistributionRule } from "../../domain/gift-cards/gift-card";
import type { Editor, Member } from "../access/members";
import type { Audit } from "../access/take-step";
import { getKeyring } from "../keyring/keyring";
import { readDatabaseClock, writeLedger } from "../ledger/write-ledger";
import { findPointsSource, type PointsSource } from "../rewards/counted-points";
import { selectServedByMoves } from "../rewards/given";
import { isHeard, sayEvents } from "../webhooks/outbox/say-event";
import { selectWalletsOfTiers, withTiers } from "./counted-tiers";
import {
  changeManyCards,
  type HeldReward,
  isGiftCardReward,
  requireFrozenPoints,
  requireSamePoints,
} from "./gift-cards";
import { createSealer } from "./seals";

/** The result of a distribution in one tier. */
export interface TierOutcome {
  readonly label: string;
  /** The number of wallets in the tier that had no card of the reward. */
  readonly eligible: number;
  readonly inPool: number;
  readonly assigned: number;
}

/**
 * Assigns a card to each wallet that has enough of the points that the reward counts, and no card of it yet. A
 * wallet's tier is the highest one whose threshold it reaches.
 * - A wallet that holds the points of a wallet with a card has one.
 * - A board counts as it stood at its end.
 * - It reads one snapshot of the ledger, and assigns all cards or none. Each card is sealed for its holder.
 * - Within a tier, wallets with more points come first, then the lower address.
 * - Blacklisted wallets get no card.
 * - It can be repeated for wallets that became eligible later.
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`,
 *   `gift_cards_short` when the rule is `everyone` and a tier has too few codes,
 *   `gift_cards_nobody_eligible` when no wallet is eligible, `gift_card_keys_missing`, `points_board_open`,
 *   `board_not_found` when the board of its points was deleted
 */
export async function distributeGiftCards(
  member: Editor,
  rewardId: string,
  rule: DistributionRule,
): Promise<{ name: string; assigned: number; tiers: readonly TierOutcome[] }> {
  const frozen = await requireFrozenPoints(member, rewardId);
  // While nobody writes: all moves from then on are dated later, and all earlier ones are seen.
  const givenAt = await writeLedger(member.pointSystemId, readDatabaseClock);
  return changeManyCards(member, rewardId, ["active", "distributed"], (tx, reward, audit) => {
    requireSamePoints(reward, frozen);
    return distribute(tx, member, reward, { rule, givenAt }, audit);
  });
}

interface DistributionTerms {
  readonly rule: DistributionRule;
  /** The time of the cards: moves of points from then on come after them. */
  readonly givenAt: Date;
}

async function distribute(
  tx: Transaction,
  member: Editor,
  { id, name, status }: HeldReward,
  terms: DistributionTerms,
  audit: Audit,
) {
  const { rule, givenAt } = terms;
  const tiers = await assignCards(tx, member.pointSystemId, id, terms);
  const sum = (of: "eligible" | "assigned") => tiers.reduce((total, tier) => total + tier[of], 0);
  const [eligible, assigned] = [sum("eligible"), sum("assigned")];
  const short = tiers.filter((tier) => tier.eligible > tier.inPool);
  if (rule === "everyone" && short.length > 0) {
    throw new Failure("gift_cards_short", { name: describeShortage(short) });
  }
  if (assigned === 0) {
    // When wallets are eligible and none got a code, the pools lack codes.
    if (eligible > 0) throw new Failure("gift_cards_short", { name: describeShortage(short) });
    throw new Failure("gift_cards_nobody_eligible");
  }
  await tx
    .update(rewards)
    .set({ status: "distributed", distributedAt: sql`coalesce(${rewards.distributedAt}, now())` })
    .where(isGiftCardReward(member, id));
  await audit({
    action: "gift_cards.distribute",
    subject: name,
    before: { id, status },
    after: { rule, assigned, walletsWithout: eligible - assigned, tiers },
  });
  await sayDistribution(tx, member, { id, name }, givenAt);
  return { name, assigned, tiers };
}

/** Says the cards that this transaction has assigned to the webhooks. */
async function sayDistribution(
  tx: Transaction,
  { pointSystemId, actor }: Member,
  { id, name }: Pick<HeldReward, "id" | "name">,
  givenAt: Date,
): Promise<void> {
  if (!(await isHeard(tx, pointSystemId, "gift_card.distributed"))) return;
  const cards = await tx.execute<{ distributionId: string; address: string; tier: string }>(sql`
    select id as "distributionId", '0x' || encode(address, 'hex') as address, tier_label as tier
    from gift_cards
    where point_system_id = ${pointSystemId} and reward_id = ${id} and distributed_at = ${givenAt.toISOString()}::timestamptz
    order by id`);
  const toData = (giftCards: readonly object[]) => ({ rewardId: id, name, giftCards });
  await sayEvents(tx, pointSystemId, "gift_card.distributed", cards, toData, actor);
}

function describeShortage(tiers: readonly TierOutcome[]): string {
  return tiers
    .map(
      ({ label, eligible, inPool }) =>
        `${(eligible - inPool).toLocaleString("en")} more in ${label}`,
    )
    .join(", ");
}

/**
 * Plans the cards and then assigns them, each with its holder's seal. The plan is of one moment; the lock on the
 * reward keeps its cards as they are.
 */
async function assignCards(
  tx: Transaction,
  pointSystemId: string,
  rewardId: string,
  { rule, givenAt }: DistributionTerms,
): Promise<TierOutcome[]> {
  const source = await findPointsSource(pointSystemId, rewardId, tx);
  const rows = await planCards(tx, rewardId, source);
  const tiers = new Map<string, { -readonly [Key in keyof TierOutcome]: TierOutcome[Key] }>();
  const pairs: Pair[] = [];
  for (const { label, eligible, inPool, card, address, keyId } of rows) {
    const tier = tiers.get(label) ?? { label, eligible, inPool, assigned: 0 };
    tiers.set(label, tier);
    if (card === null || address === null || keyId === null) continue;
    tier.assigned += 1;
    pairs.push({ card, address, keyId });
  }
  const all = [...tiers.values()];
  if (rule === "everyone" && all.some(({ eligible, inPool }) => eligible > inPool)) {
    return all.map((tier) => ({ ...tier, assigned: 0 }));
  }
  for await (const batch of toBatches(pairs)) {
    await storeHolders(tx, { pointSystemId, rewardId, givenAt }, batch);
  }
  return all;
}

/** A card and the wallet that gets it. */
interface Pair {
  readonly card: string;
  readonly address: string;
  /** The key of the card's code. */
  readonly keyId: string;
}

interface PlanRow extends Pick<TierOutcome, "label" | "eligible" | "inPool"> {
  readonly card: Pair["card"] | null;
  readonly address: Pair["address"] | null;
  readonly keyId: Pair["keyId"] | null;
}

/**
 * Pairs the wallets and the cards of a tier as arrays. A join by their positions would be planned
 * without statistics and could compare every wallet with every card.
 * @returns a row for each pair, and one for each tier without a pair
 */
async function planCards(
  tx: Transaction,
  rewardId: string,
  source: PointsSource,
): Promise<PlanRow[]> {
  const { pointSystemId } = source;
  return tx.execute<{ [Key in keyof PlanRow]: PlanRow[Key] }>(sql`
    with ${withTiers(pointSystemId, rewardId)},
    eligible as materialized (
      select w.place, array_agg(w.address order by w.points desc, w.address) as addresses
      from ${selectWalletsOfTiers(source)} w
      where (
        select 1 from gift_cards c
        where c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId}
          and c.address = w.address
        limit 1
      ) is null and w.address not in (
        select m.address from ${selectServedByMoves(source, "gift_cards")} m
      )
      group by w.place
    ),
    plan as materialized (
      select t.label, t.position, coalesce(e.addresses, '{}') as addresses, array(
        select c.id from gift_cards c
        where c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId}
          and c.address is null and c.tier_label = t.label
        order by c.id
      ) as cards, array(
        select c.code_key_id from gift_cards c
        where c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId}
          and c.address is null and c.tier_label = t.label
        order by c.id
      ) as keys
      from tiers t left join eligible e on e.place = t.place
    )
    select p.label, cardinality(p.addresses)::float8 as eligible,
      cardinality(p.cards)::float8 as "inPool",
      m.card, m.key_id as "keyId", '0x' || encode(m.address, 'hex') as address
    from plan p left join lateral (
      select * from unnest(p.addresses, p.cards, p.keys) as u(address, card, key_id)
      where u.address is not null and u.card is not null
    ) m on true
    order by p.position`);
}

/**
 * Assigns cards. Those whose code got another key since the plan are locked and sealed with that.
 * @throws {Failure} `gift_card_keys_missing`
 */
async function storeHolders(
  tx: Transaction,
  given: {
    readonly pointSystemId: string;
    readonly rewardId: string;
    readonly givenAt: Date;
  },
  pairs: readonly Pair[],
): Promise<void> {
  const { pointSystemId, rewardId, givenAt } = given;
  const isOf = sql`c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId}`;
  const keyring = getKeyring();
  const sealers = new Map(
    [...new Set(pairs.map(({ keyId }) => keyId))].map((id) => [id, createSealer(keyring, id)]),
  );
  const seals = pairs.map(({ card, address, keyId }) => {
    const seal = sealers.get(keyId);
    return seal ? seal({ id: card, rewardId }, address) : null;
  });
  const { count } = await tx.execute(sql`
    update gift_cards c set address = m.address, holder_seal = m.seal, distributed_at = ${givenAt.toISOString()}::timestamptz
    from unnest(
      ${toPlainArray(pairs.map(({ card }) => card))}::uuid[],
      ${toBytesArray(pairs.map(({ address }) => address.slice(2)))}::bytea[],
      ${toArrayLiteral(pairs.map(({ keyId }) => keyId))}::text[],
      ${toArrayLiteral(seals)}::bytea[]
    ) as m(card, address, key_id, seal)
    where ${isOf} and c.id = m.card and c.code_key_id = m.key_id and c.address is null`);
  if (count === pairs.length) return;
  const cards = toPlainArray(pairs.map(({ card }) => card));
  const left = await tx.execute<{ card: string; keyId: string }>(sql`
    select c.id as card, c.code_key_id as "keyId" from gift_cards c
    where ${isOf} and c.id = any(${cards}::uuid[]) and c.address is null
    for no key update`);
  if (left.length === 0) throw new Error("A card of the plan is gone");
  const keyIds = new Map(left.map(({ card, keyId }) => [card, keyId]));
  const others = pairs.flatMap((pair) => {
    const keyId = keyIds.get(pair.card);
    return keyId === undefined ? [] : [{ ...pair, keyId }];
  });
  await storeHolders(tx, given, others);
}
