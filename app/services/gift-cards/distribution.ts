import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { rewards } from "../../db/schema/rewards";
import { Failure } from "../../domain/failure";
import type { DistributionRule } from "../../domain/gift-cards/gift-card";
import type { Member } from "../access/members";
import type { Audit } from "../access/take-step";
import { changeManyCards, type HeldReward, isGiftCardReward } from "./gift-cards";

/** The result of a distribution in one tier. */
export interface TierOutcome {
  readonly label: string;
  /** The number of wallets in the tier that had no card of the reward. */
  readonly eligible: number;
  readonly inPool: number;
  readonly assigned: number;
}

/**
 * Assigns a card to each wallet that has enough points and no card of this reward yet. A wallet's
 * tier is the highest one whose threshold it reaches.
 * - It is one statement: it reads one snapshot of the ledger, and assigns all cards or none.
 * - Within a tier, wallets with more points come first, then the lower address.
 * - Blacklisted wallets get no card.
 * - It can be repeated for wallets that became eligible later.
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`,
 *   `gift_cards_short` when the rule is `everyone` and a tier has too few codes,
 *   `gift_cards_nobody_eligible` when no wallet is eligible
 */
export function distributeGiftCards(
  member: Member<"owner" | "editor">,
  rewardId: string,
  rule: DistributionRule,
): Promise<{ name: string; assigned: number; tiers: readonly TierOutcome[] }> {
  return changeManyCards(member, rewardId, ["active", "distributed"], (tx, reward, audit) =>
    distribute(tx, member, reward, rule, audit),
  );
}

async function distribute(
  tx: Transaction,
  member: Member<"owner" | "editor">,
  { id, name, status }: HeldReward,
  rule: DistributionRule,
  audit: Audit,
) {
  const tiers = await assignCards(tx, member.pointSystemId, id, rule);
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
  return { name, assigned, tiers };
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
 * Pairs the wallets and the cards of a tier as arrays. A join by their positions would be planned
 * without statistics and could compare every wallet with every card.
 */
async function assignCards(
  tx: Transaction,
  pointSystemId: string,
  rewardId: string,
  rule: DistributionRule,
): Promise<TierOutcome[]> {
  return tx.execute<{ [Key in keyof TierOutcome]: TierOutcome[Key] }>(sql`
    with tiers as materialized (
      select label, position, min_points, coalesce(
        lead(min_points) over (order by min_points), 9223372036854775807
      ) as below
      from gift_card_tiers
      where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
        and min_points is not null
    ),
    plan as materialized (
      select t.label, t.position, array(
        select w.address from wallets w
        where w.point_system_id = ${pointSystemId} and not w.is_blacklisted
          and w.points >= t.min_points and w.points < t.below
          and (
            select 1 from gift_cards c
            where c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId}
              and c.address = w.address
            limit 1
          ) is null
        order by w.points desc, w.address
      ) as addresses, array(
        select c.id from gift_cards c
        where c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId}
          and c.address is null and c.tier_label = t.label
        order by c.id
      ) as cards
      from tiers t
    ),
    verdict as materialized (
      select ${rule === "most-points"} or bool_and(cardinality(cards) >= cardinality(addresses))
        as goes
      from plan
    ),
    assigned as (
      update gift_cards c set address = m.address, distributed_at = now()
      from verdict v, plan p, unnest(p.addresses, p.cards) as m(address, card)
      where v.goes and m.address is not null
        and c.point_system_id = ${pointSystemId} and c.reward_id = ${rewardId} and c.id = m.card
      returning c.tier_label
    ),
    counts as (select tier_label, count(*) as assigned from assigned group by tier_label)
    select p.label, cardinality(p.addresses)::float8 as eligible,
      cardinality(p.cards)::float8 as "inPool", coalesce(n.assigned, 0)::float8 as assigned
    from plan p left join counts n on n.tier_label = p.label
    order by p.position`);
}
