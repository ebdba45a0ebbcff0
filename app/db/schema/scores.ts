import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import type { ScoreResult } from "../../domain/scores/score";
import { address, moment } from "./columns";

// A score belongs to a wallet and not to a point system, and so do these tables.

/**
 * The known facts of a wallet on a chain. They are kept, so that an unavailable provider loses
 * nothing.
 */
export const scoreFacts = pgTable(
  "score_facts",
  {
    address: address().notNull(),
    chainId: bigint("chain_id", { mode: "number" }).notNull(),
    nonce: bigint({ mode: "number" }).notNull(),
    hasCode: boolean("has_code").notNull(),
    transactions: bigint({ mode: "number" }).notNull(),
    firstAt: moment("first_at"),
    lastAt: moment("last_at"),
    /** The newest times of sending, in seconds since 1970. */
    sentAt: jsonb("sent_at").$type<readonly number[]>().notNull(),
    fetchedAt: moment("fetched_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.address, table.chainId] }),
    check("score_facts_address_length", sql`octet_length(${table.address}) = 20`),
    check("score_facts_counts", sql`${table.nonce} >= 0 and ${table.transactions} >= 0`),
  ],
);

/** Computed scores. They never change. */
export const scores = pgTable(
  "scores",
  {
    id: uuid().primaryKey(),
    address: address().notNull(),
    computedAt: moment("computed_at").notNull(),
    algorithmVersion: integer("algorithm_version").notNull(),
    /** `engine` for the built-in engine, `remote` for the one at SCORE_SERVICE_URL. */
    source: text().$type<"engine" | "remote">().notNull(),
    /** False when some facts could not be found: the score is then a lower bound. */
    isComplete: boolean("is_complete").notNull(),
    finalScore: doublePrecision("final_score").notNull(),
    result: jsonb().$type<ScoreResult>().notNull(),
  },
  (table) => [
    index("scores_wallet").on(table.address, table.computedAt),
    index("scores_age").on(table.computedAt),
    check("scores_address_length", sql`octet_length(${table.address}) = 20`),
    check("scores_range", sql`${table.finalScore} between 0 and 100`),
    check("scores_source_known", sql`${table.source} in ('engine', 'remote')`),
  ],
);

/** The wallets whose score was requested, with the times and the process that computes it now. */
export const scoreWallets = pgTable(
  "score_wallets",
  {
    address: address().primaryKey(),
    askedAt: moment("asked_at").notNull(),
    /** The time at which the daily refresh is due. */
    refreshAt: moment("refresh_at").notNull(),
    leaseId: uuid("lease_id"),
    leasedUntil: moment("leased_until"),
    /** Whether the wallet had a primary name at the last check; null before the first one. */
    hasPrimaryName: boolean("has_primary_name"),
    nameCheckedAt: moment("name_checked_at"),
  },
  (table) => [
    index("score_wallets_due").on(table.refreshAt),
    check("score_wallets_address_length", sql`octet_length(${table.address}) = 20`),
  ],
);

/** Calls to a provider by all processes together: one row for each provider and key. */
export const scoreProviderBudgets = pgTable("score_provider_budgets", {
  /** The provider's kind and a hash of its address and key. */
  provider: text().primaryKey(),
  /** The earliest times of the next call and of the next background call, to the microsecond. */
  nextAt: timestamp("next_at", { withTimezone: true }).notNull(),
  nextBackgroundAt: timestamp("next_background_at", { withTimezone: true }).notNull(),
  day: date({ mode: "string" }).notNull(),
  calls: bigint({ mode: "number" }).notNull(),
  backgroundCalls: bigint("background_calls", { mode: "number" }).notNull(),
});

/** The recent results of a provider on a chain, for people. */
export const scoreProviderStates = pgTable(
  "score_provider_states",
  {
    provider: text().notNull(),
    chainId: bigint("chain_id", { mode: "number" }).notNull(),
    succeededAt: moment("succeeded_at"),
    failedAt: moment("failed_at"),
    /** In words, without addresses or keys. */
    failure: text(),
  },
  (table) => [primaryKey({ columns: [table.provider, table.chainId] })],
);

/** Signals about a wallet from this installation's rewards and blacklists, rebuilt each night. */
export const scoreSignals = pgTable(
  "score_signals",
  {
    address: address().primaryKey(),
    /** Campaigns allocated and campaigns claimed. */
    participation: integer().notNull(),
    rewardsBonus: integer("rewards_bonus").notNull(),
    operators: integer().notNull(),
    reasonWeight: doublePrecision("reason_weight").notNull(),
  },
  (table) => [
    check("score_signals_address_length", sql`octet_length(${table.address}) = 20`),
    check("score_signals_bonus_range", sql`${table.rewardsBonus} between 0 and 10`),
  ],
);

/** The time at which the signals were last rebuilt. Without a row, they never were. */
export const scoreSignalRuns = pgTable(
  "score_signal_runs",
  { id: integer().primaryKey(), madeAt: moment("made_at").notNull() },
  (table) => [check("score_signal_runs_single", sql`${table.id} = 1`)],
);
