import { and, asc, eq, sql } from "drizzle-orm";
import { type Executor, type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import { isDatabaseUnavailable, isLocked } from "../../db/errors";
import { giftCardTiers } from "../../db/schema/gift-cards";
import { rewards } from "../../db/schema/rewards";
import { Failure } from "../../domain/failure";
import type { RewardStatus } from "../../domain/rewards/reward";
import { parseUuid } from "../../domain/uuid";
import type { Member } from "../access/members";
import { createTurns } from "../runtime/limiter";
import { listGiftCardKeyIds } from "./keyring";

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
 * Runs `work` as the only one who changes this reward and which cards it has.
 * @param allowed where the reward may stand
 * @throws {Failure} `not_found`, `gift_card_reward_busy`, `gift_card_reward_moved_on`, and what
 *   `work` throws
 */
export function changeReward<T>(
  member: Member<"owner" | "editor">,
  rewardId: string,
  allowed: readonly RewardStatus[],
  work: (tx: Transaction, reward: HeldReward) => Promise<T>,
): Promise<T> {
  return withDatabase((db) =>
    db.transaction(async (tx) => work(tx, await holdReward(tx, member, rewardId, allowed))),
  );
}

/** A hundred thousand cards take seconds, and whoever gives them away waits for it. */
const LONG_STATEMENT_TIMEOUT_MS = 60_000;

/** Whatever the database does. A connection that is given up takes its transaction with it. */
const LONG_DEADLINE_MS = LONG_STATEMENT_TIMEOUT_MS + 5_000;

/** Each has a connection of its own beside the pool's. */
const takeLongTurn = createTurns({ atOnceMax: 2, waitingMax: 8, waitMs: 4_000 });

/**
 * As `changeReward`, for work on very many cards: it may take longer than other statements may, all
 * the same in one transaction.
 * @throws {Failure} as `changeReward`, and `service_unavailable` when too much of it is under way
 */
export async function changeManyCards<T>(
  member: Member<"owner" | "editor">,
  rewardId: string,
  allowed: readonly RewardStatus[],
  work: (tx: Transaction, reward: HeldReward) => Promise<T>,
): Promise<T> {
  const change = async (tx: Transaction) => {
    await tx.execute(sql`
      select set_config('statement_timeout', ${String(LONG_STATEMENT_TIMEOUT_MS)}, true),
        set_config('enable_seqscan', 'off', true)`);
    return work(tx, await holdReward(tx, member, rewardId, allowed));
  };
  try {
    return await takeLongTurn(() =>
      withOwnConnection((db) => endInTime(db.transaction(change), LONG_DEADLINE_MS)),
    );
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw new Failure("service_unavailable", { cause: error });
    throw error;
  }
}

/** @throws {Failure} `service_unavailable` when it takes longer than that */
async function endInTime<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          work.catch(() => {}); // answered already: what becomes of it is nobody's error
          reject(new Failure("service_unavailable"));
        }, deadlineMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps everyone else from changing a reward, to the transaction's end. */
async function holdReward(
  tx: Transaction,
  member: Member<"owner" | "editor">,
  rewardId: string,
  allowed: readonly RewardStatus[],
): Promise<HeldReward> {
  const isIt = isGiftCardReward(member, rewardId);
  const [reward] = await tx
    .select({ id: rewards.id, name: rewards.campaignName, status: rewards.status })
    .from(rewards)
    .where(isIt)
    .for("no key update", { noWait: true })
    .catch((error: unknown) => {
      // A distribution to many wallets takes seconds: whoever waits for it holds a connection.
      throw isLocked(error) ? new Failure("gift_card_reward_busy") : error;
    });
  if (!reward) throw new Failure("not_found");
  if (!allowed.includes(reward.status)) throw new Failure("gift_card_reward_moved_on");
  return reward;
}
