import { and, asc, eq, sql } from "drizzle-orm";
import { type Executor, type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import { isDatabaseUnavailable, isLocked } from "../../db/errors";
import { giftCardTiers } from "../../db/schema/gift-cards";
import { rewards } from "../../db/schema/rewards";
import { waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import type { CountedPoints } from "../../domain/rewards/counted-points";
import type { RewardStatus } from "../../domain/rewards/reward";
import { requireUuid } from "../../domain/uuid";
import type { Editor, Member } from "../access/members";
import { type Step, type StepRules, takeStep } from "../access/take-step";
import { listKeyIds } from "../keyring/keyring";
import { requireFrozenBoard } from "../rewards/points-choice";
import { digestValues } from "../rewards/terms-digest";
import { createLimiter } from "../runtime/limiter";

/** A tier with its stock. */
interface TierStock {
  readonly label: string;
  readonly minPoints: number | null;
  /** The number of codes that are not assigned. */
  readonly inPool: number;
  readonly assigned: number;
  /** The number of assigned codes that were revealed. */
  readonly revealed: number;
}

/** A gift card reward as the dashboard shows it, without its codes. */
export interface GiftCardReward extends CountedPoints {
  readonly id: string;
  readonly name: string;
  readonly status: RewardStatus;
  readonly createdAt: Date;
  readonly publishedAt: Date | null;
  readonly distributedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly tiers: readonly TierStock[];
  /** A digest of what publishing fixes: see `digestGiftCardTerms`. */
  readonly terms: string;
  /** The number of codes that cannot be decrypted here, by the key that this process lacks. */
  readonly lockedCodes: readonly { readonly keyId: string; readonly codes: number }[];
}

/** The columns of a reward's row that give its state. */
const stateColumns = {
  id: rewards.id,
  name: rewards.campaignName,
  status: rewards.status,
  createdAt: rewards.createdAt,
  publishedAt: rewards.publishedAt,
  distributedAt: rewards.distributedAt,
  cancelledAt: rewards.cancelledAt,
  pointsBoard: rewards.pointsBoard,
  pointsWindowId: rewards.pointsWindowId,
  familyId: rewards.familyId,
};

/**
 * Reads a gift card reward with its tiers and stock.
 * @param rewardId the id as the browser sent it
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
    const keyIds = listKeyIds();
    const locked = new Map<string, number>();
    for (const { keyId, inPool, assigned } of counts) {
      if (!keyIds.includes(keyId)) locked.set(keyId, (locked.get(keyId) ?? 0) + inPool + assigned);
    }
    return {
      ...reward,
      terms: digestGiftCardTerms(reward, tiers),
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

/** Makes a digest of the name, the points that count and the tiers of a reward. */
export function digestGiftCardTerms(
  { name, pointsBoard, pointsWindowId, familyId }: Pick<HeldReward, "name" | keyof CountedPoints>,
  tiers: readonly Pick<TierStock, "label" | "minPoints">[],
): string {
  const listed = tiers.map(({ label, minPoints }) => [label, minPoints]);
  return digestValues([name, pointsBoard, pointsWindowId, familyId, listed]);
}

/** Lists a reward's tiers in the operator's order. */
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
 * Matches the gift card reward with this id in the member's point system.
 * @param rewardId the id as the browser sent it
 * @throws {Failure} `not_found` when the id is malformed
 */
export function isGiftCardReward({ pointSystemId }: Member, rewardId: string) {
  return and(
    eq(rewards.pointSystemId, pointSystemId),
    eq(rewards.id, requireUuid(rewardId)),
    eq(rewards.kind, "giftcard"),
  );
}

/** A reward that a transaction has locked. */
export interface HeldReward extends CountedPoints {
  readonly id: string;
  readonly name: string;
  readonly status: RewardStatus;
}

/**
 * Checks that the board of a reward has ended, and closes its window. The ledger is locked for that, so it comes
 * before the lock of the reward; `requireSamePoints` completes it there.
 * @returns the window
 * @throws {Failure} `not_found`, `points_board_open`, `board_not_found` when the board was deleted
 */
export async function requireFrozenPoints(
  member: Editor,
  rewardId: string,
): Promise<HeldReward["pointsWindowId"]> {
  const { pointsWindowId } = await getGiftCardReward(member, rewardId);
  await requireFrozenBoard(member.pointSystemId, { pointsWindowId });
  return pointsWindowId;
}

/**
 * Checks that a locked reward counts the points that `requireFrozenPoints` checked.
 * @throws {Failure} `gift_card_reward_moved_on`
 */
export function requireSamePoints(
  { pointsWindowId }: HeldReward,
  frozen: HeldReward["pointsWindowId"],
): void {
  if (pointsWindowId !== frozen) throw new Failure("gift_card_reward_moved_on");
}

/**
 * Runs a step of a gift card reward in a transaction that has locked it, so that no other change of
 * the reward or its cards runs.
 * @param allowed the statuses in which the step is allowed
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`, and the
 *   failures of the step
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
 * Runs work as `changeReward` does, for very many cards. It is one transaction too, with a longer
 * timeout than other statements have.
 * @throws {Failure} as `changeReward`, and `service_unavailable` when too many such changes are
 *   under way
 */
export function changeManyCards<Answer>(
  member: Editor,
  rewardId: string,
  allowed: readonly RewardStatus[],
  step: Step<HeldReward, Answer>,
): Promise<Answer> {
  const rules = createRules(member, rewardId, allowed);
  const transact = <Value>(work: (tx: Transaction) => Promise<Value>) =>
    inLongTransaction(member.pointSystemId, work);
  return takeStep(member, { ...rules, transact }, step);
}

function createRules(
  member: Editor,
  rewardId: string,
  allowed: readonly RewardStatus[],
): StepRules<HeldReward> {
  const lock = async (tx: Transaction) => {
    const [reward] = await tx
      .select({
        id: rewards.id,
        name: rewards.campaignName,
        status: rewards.status,
        pointsBoard: rewards.pointsBoard,
        pointsWindowId: rewards.pointsWindowId,
        familyId: rewards.familyId,
      })
      .from(rewards)
      .where(isGiftCardReward(member, rewardId))
      .for("no key update", { noWait: true })
      .catch((error: unknown) => {
        // A distribution to many wallets takes seconds, and waiting for it would hold a connection.
        throw isLocked(error) ? new Failure("gift_card_reward_busy") : error;
      });
    return reward;
  };
  return { lock, allowed, movedOn: "gift_card_reward_moved_on" };
}

/**
 * The statement timeout for changes of many cards. A hundred thousand cards take seconds, and the
 * operator waits for them.
 */
const LONG_STATEMENT_TIMEOUT_MS = 60_000;

/**
 * The deadline of such a change, even if the database does not answer. Closing the connection ends
 * its transaction.
 */
const LONG_DEADLINE_MS = LONG_STATEMENT_TIMEOUT_MS + 5_000;

/** Limits such changes, since each has a connection of its own beside the pool's. */
const limitLongChanges = createLimiter({
  atOnceMax: 3,
  waitingMax: 8,
  waitMs: 4_000,
  partOfGroup: 2 / 3,
});

async function inLongTransaction<Value>(
  pointSystemId: string,
  work: (tx: Transaction) => Promise<Value>,
): Promise<Value> {
  const change = async (tx: Transaction) => {
    await tx.execute(sql`
      select set_config('statement_timeout', ${String(LONG_STATEMENT_TIMEOUT_MS)}, true),
        set_config('enable_seqscan', 'off', true)`);
    return work(tx);
  };
  const isLate = () => new Failure("service_unavailable");
  try {
    return await limitLongChanges(
      () => withOwnConnection((db) => waitInTime(db.transaction(change), LONG_DEADLINE_MS, isLate)),
      pointSystemId,
    );
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new Failure("service_unavailable", { cause: error });
    throw error;
  }
}
