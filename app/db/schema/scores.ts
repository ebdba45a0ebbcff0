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

// The score is of a wallet, whatever point systems it is in: these tables belong to none of them.

/** What is known of a wallet on a chain: kept, so that a provider that is away takes nothing back. */
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
    /** The newest moments of sending, seconds since 1970. */
    sentAt: jsonb("sent_at").$type<readonly number[]>().notNull(),
    fetchedAt: moment("fetched_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.address, table.chainId] }),
    check("score_facts_address_length", sql`octet_length(${table.address}) = 20`),
    check("score_facts_counts", sql`${table.nonce} >= 0 and ${table.transactions} >= 0`),
  ],
);

/** Computations: never changed once they stand. */
export const scores = pgTable(
  "scores",
  {
    id: uuid().primaryKey(),
    address: address().notNull(),
    computedAt: moment("computed_at").notNull(),
    algorithmVersion: integer("algorithm_version").notNull(),
    /** `engine` for the one that is built in, `remote` for the one at SCORE_SERVICE_URL. */
    source: text().$type<"engine" | "remote">().notNull(),
    /** Not when something could not be found out: the score is a lower bound then. */
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

/** The wallets whose score was asked for: when, and who computes it at the moment. */
export const scoreWallets = pgTable(
  "score_wallets",
  {
    address: address().primaryKey(),
    askedAt: moment("asked_at").notNull(),
    /** When the daily refresh is due. */
    refreshAt: moment("refresh_at").notNull(),
    leaseId: uuid("lease_id"),
    leasedUntil: moment("leased_until"),
    /** Whether it had a primary name when that was last found out; null when it never was. */
    hasPrimaryName: boolean("has_primary_name"),
    nameCheckedAt: moment("name_checked_at"),
  },
  (table) => [
    index("score_wallets_due").on(table.refreshAt),
    check("score_wallets_address_length", sql`octet_length(${table.address}) = 20`),
  ],
);

/** What a provider has been asked for, by all processes together: one row a provider and key. */
export const scoreProviderBudgets = pgTable("score_provider_budgets", {
  /** The provider's kind and a hash of its address and key. */
  provider: text().primaryKey(),
  /** When the next call may be made, and the next one in the background. To the microsecond. */
  nextAt: timestamp("next_at", { withTimezone: true }).notNull(),
  nextBackgroundAt: timestamp("next_background_at", { withTimezone: true }).notNull(),
  day: date({ mode: "string" }).notNull(),
  calls: bigint({ mode: "number" }).notNull(),
  backgroundCalls: bigint("background_calls", { mode: "number" }).notNull(),
});

/** How a provider has been doing on a chain, for people. */
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

/** What the rewards and blacklists of this installation say of a wallet, made anew each night. */
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

/** When the signals were last made; no row: never. */
export const scoreSignalRuns = pgTable(
  "score_signal_runs",
  { id: integer().primaryKey(), madeAt: moment("made_at").notNull() },
  (table) => [check("score_signal_runs_single", sql`${table.id} = 1`)],
);
