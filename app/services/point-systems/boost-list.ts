import { and, asc, desc, eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { boosts, boostWallets } from "../../db/schema/boosts";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { parseUuid } from "../../domain/uuid";

/** A boost of a point system. */
export interface Boost {
  readonly id: string;
  readonly name: string;
  readonly factor: number;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** The time zone in which the form shows its times. */
  readonly timeZone: string;
  /** The triggers whose credits it boosts; null for all. */
  readonly triggerKeys: readonly string[] | null;
  /** The number of its wallets; null for every wallet. */
  readonly walletCount: number | null;
  readonly state: "running" | "scheduled" | "ended";
}

/** The most boosts that a list shows: those that run or are to come, and the newest past ones. */
const LISTED_MAX = 200;

const state = sql<Boost["state"]>`case
  when ${boosts.endsAt} <= statement_timestamp() then 'ended'
  when ${boosts.startsAt} > statement_timestamp() then 'scheduled'
  else 'running' end`;

/** Lists a point system's boosts: those that run, those to come, and the past ones, the latest first. */
export function listBoosts(pointSystemId: string): Promise<Boost[]> {
  return withDatabase((db) =>
    select(db)
      .where(eq(boosts.pointSystemId, pointSystemId))
      .orderBy(
        sql`array_position(array['running', 'scheduled', 'ended'], ${state})`,
        desc(boosts.endsAt),
        asc(boosts.id),
      )
      .limit(LISTED_MAX),
  );
}

/**
 * Reads a boost.
 * @param id an id, or any text from a path
 * @throws {Failure} `not_found`
 */
export async function getBoost(
  pointSystemId: string,
  id: string,
  tx?: Transaction,
): Promise<Boost> {
  const uuid = parseUuid(id);
  const run = (executor: Pick<Transaction, "select">) =>
    select(executor).where(and(eq(boosts.pointSystemId, pointSystemId), eq(boosts.id, uuid ?? id)));
  const [found] = uuid === null ? [] : await (tx ? run(tx) : withDatabase(run));
  if (!found) throw new Failure("not_found");
  return found;
}

/** Lists the wallets of a boost, in the order of their addresses. */
export async function findBoostWallets(
  pointSystemId: string,
  boostId: string,
  tx?: Transaction,
): Promise<Address[]> {
  const run = (executor: Pick<Transaction, "select">) =>
    executor
      .select({ address: boostWallets.address })
      .from(boostWallets)
      .where(and(eq(boostWallets.pointSystemId, pointSystemId), eq(boostWallets.boostId, boostId)))
      .orderBy(asc(boostWallets.address));
  const rows = await (tx ? run(tx) : withDatabase(run));
  return rows.map(({ address }) => address);
}

const select = (executor: Pick<Transaction, "select">) =>
  executor
    .select({
      id: boosts.id,
      name: boosts.name,
      factor: boosts.factor,
      startsAt: boosts.startsAt,
      endsAt: boosts.endsAt,
      timeZone: boosts.timeZone,
      triggerKeys: boosts.triggerKeys,
      walletCount: sql<number | null>`case when ${boosts.isForListed} then (
        select c.wallets from count_boost_wallets(${boosts.pointSystemId}, ${boosts.id}) c
      ) end`,
      state,
    })
    .from(boosts);
