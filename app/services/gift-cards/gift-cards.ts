import { and, asc, eq, sql } from "drizzle-orm";
import { type Executor, type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import { isDatabaseUnavailable, isLocked } from "../../db/errors";
import { giftCardTiers } from "../../db/schema/gift-cards";
import { rewards } from "../../db/schema/rewards";
import { waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import type { RewardStatus } from "../../domain/rewards/reward";
import { parseUuid } from "../../domain/uuid";
import type { Member } from "../access/members";
import { type Step, type StepRules, takeStep } from "../access/take-step";
import { createLimiter } from "../runtime/limiter";
import { listGiftCardKeyIds } from "./keyring";

type Editor = Member<"owner" | "editor">;

/** A tier and its stock. */
interface TierStock {
  readonly label: string;
  readonly minPoints: number | null;
  /** Codes that nobody has. */
  readonly inPool: number;
  readonly assigned: number;
  /** How many of those assigned were looked at. */
  readonly revealed: number;
}

/** A gift card reward as the dashboard shows it. Never a code. */
export interface GiftCardReward {
  readonly id: string;
  readonly name: string;
  readonly status: RewardStatus;
  readonly createdAt: Date;
  readonly publishedAt: Date | null;
  readonly distributedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly tiers: readonly TierStock[];
  /** Codes that cannot be decrypted here, by the key that this process lacks. */
  readonly lockedCodes: readonly { readonly keyId: string; readonly codes: number }[];
}

/** What of a reward's row tells where it stands. */
const stateColumns = {
  id: rewards.id,
  name: rewards.campaignName,
  status: rewards.status,
  createdAt: rewards.createdAt,
  publishedAt: rewards.publishedAt,
  distributedAt: rewards.distributedAt,
  cancelledAt: rewards.cancelledAt,
};

/**
 * A gift card reward with its tiers and stock.
 * @param rewardId as the browser sent it
 * @throws {Failure} `not_found`
 */
export function getGiftCardReward(member: Member, rewardId: string): Promise<GiftCardReward> {
  return withDatabase(async (db) => {
    const [reward] = await db
      .select(stateColumns)
      .from(rewards)
      .where(isGiftCardReward(member, rewardId));
    if (!reward) throw new Failure("not_found");
    const [tiers, counts] = await Promise.all([
      listTiers(db, member.pointSystemId, reward.id),
      countCards(db, member.pointSystemId, reward.id),
    ]);
    const keyIds = listGiftCardKeyIds();
    const locked = new Map<string, number>();
    for (const { keyId, inPool, assigned } of counts) {
      if (!keyIds.includes(keyId)) locked.set(keyId, (locked.get(keyId) ?? 0) + inPool + assigned);
    }
    return {
      ...reward,
      tiers: tiers.map((tier) => {
        const own = counts.filter(({ label }) => label === tier.label);
        const sum = (of: "inPool" | "assigned" | "revealed") =>
          own.reduce((total, count) => total + count[of], 0);
        const stock = { inPool: sum("inPool"), assigned: sum("assigned") };
        return { ...tier, ...stock, revealed: sum("revealed") };
      }),
      lockedCodes: [...locked].map(([keyId, codes]) => ({ keyId, codes })),
    };
  });
}

/** A reward's tiers in the operator's order. */
export function listTiers(
  executor: Executor,
  pointSystemId: string,
  rewardId: string,
): Promise<{ label: string; minPoints: number | null }[]> {
  return executor
    .select({ label: giftCardTiers.label, minPoints: giftCardTiers.minPoints })
    .from(giftCardTiers)
    .where(
      and(eq(giftCardTiers.pointSystemId, pointSystemId), eq(giftCardTiers.rewardId, rewardId)),
    )
    .orderBy(asc(giftCardTiers.position));
}

interface CardCount {
  readonly label: string;
  readonly keyId: string;
  readonly inPool: number;
  readonly assigned: number;
  readonly revealed: number;
}

async function countCards(
  executor: Executor,
  pointSystemId: string,
  rewardId: string,
): Promise<CardCount[]> {
  return executor.execute<{ [Key in keyof CardCount]: CardCount[Key] }>(sql`
    select tier_label as label, code_key_id as "keyId",
      count(*) filter (where address is null)::float8 as "inPool",
      count(address)::float8 as assigned,
      count(*) filter (where is_revealed)::float8 as revealed
    from gift_cards
    where point_system_id = ${pointSystemId} and reward_id = ${rewardId}
    group by tier_label, code_key_id`);
}

/**
 * That a row is the gift card reward of this id, of the member's point system.
 * @param rewardId as the browser sent it
 * @throws {Failure} `not_found` when there is none of such an id
 */
export function isGiftCardReward({ pointSystemId }: Member, rewardId: string) {
  const id = parseUuid(rewardId);
  if (!id) throw new Failure("not_found");
  return and(
    eq(rewards.pointSystemId, pointSystemId),
    eq(rewards.id, id),
    eq(rewards.kind, "giftcard"),
  );
}

/** A reward that a transaction holds. */
export interface HeldReward {
  readonly id: string;
  readonly name: string;
  readonly status: RewardStatus;
}

/**
 * Takes a step with a gift card reward, as the only one who changes it and which cards it has.
 * @param allowed the states in which it can be done
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`, and what the
 *   step throws
 */
export function changeReward<Answer>(
  member: Editor,
  rewardId: string,
  allowed: readonly RewardStatus[],
  step: Step<HeldReward, Answer>,
): Promise<Answer> {
  return takeStep(member, createRules(member, rewardId, allowed), step);
}

/**
 * As `changeReward`, for work on very many cards: it may take longer than other statements may, all
 * the same in one transaction.
 * @throws {Failure} as `changeReward`, and `service_unavailable` when too much of it is under way
 */
export function changeManyCards<Answer>(
  member: Editor,
  rewardId: string,
  allowed: readonly RewardStatus[],
  step: Step<HeldReward, Answer>,
): Promise<Answer> {
  const rules = createRules(member, rewardId, allowed);
  return takeStep(member, { ...rules, transact: inLongTransaction }, step);
}

function createRules(
  member: Editor,
  rewardId: string,
  allowed: readonly RewardStatus[],
): StepRules<HeldReward> {
  const lock = async (tx: Transaction) => {
    const [reward] = await tx
      .select({ id: rewards.id, name: rewards.campaignName, status: rewards.status })
      .from(rewards)
      .where(isGiftCardReward(member, rewardId))
      .for("no key update", { noWait: true })
      .catch((error: unknown) => {
        // A distribution to many wallets takes seconds: whoever waits for it holds a connection.
        throw isLocked(error) ? new Failure("gift_card_reward_busy") : error;
      });
    return reward;
  };
  return { lock, allowed, movedOn: "gift_card_reward_moved_on" };
}

/** A hundred thousand cards take seconds, and whoever gives them away waits for it. */
const LONG_STATEMENT_TIMEOUT_MS = 60_000;

/** Whatever the database does. A connection that is given up takes its transaction with it. */
const LONG_DEADLINE_MS = LONG_STATEMENT_TIMEOUT_MS + 5_000;

/** Each has a connection of its own beside the pool's. */
const limitLongChanges = createLimiter({ atOnceMax: 2, waitingMax: 8, waitMs: 4_000 });

async function inLongTransaction<Value>(work: (tx: Transaction) => Promise<Value>): Promise<Value> {
  const change = async (tx: Transaction) => {
    await tx.execute(sql`
      select set_config('statement_timeout', ${String(LONG_STATEMENT_TIMEOUT_MS)}, true),
        set_config('enable_seqscan', 'off', true)`);
    return work(tx);
  };
  const isLate = () => new Failure("service_unavailable");
  try {
    return await limitLongChanges(() =>
      withOwnConnection((db) => waitInTime(db.transaction(change), LONG_DEADLINE_MS, isLate)),
    );
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new Failure("service_unavailable", { cause: error });
    throw error;
  }
}
