import { assessHumanity } from "./humanity";
import { SCORE_RULES } from "./rules";

const DAY_MS = 86_400_000;

/** The activity of a wallet on one chain. */
export interface ChainActivity {
  readonly transactions: number;
  /**
   * The date of the wallet's own first transaction; null when it has none, or when nothing is known
   * of them.
   */
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  /** The newest moments of sending, in seconds since 1970. */
  readonly sentAt: readonly number[];
}

/** The signals about a wallet from this service's own point systems and rewards. */
export interface ScoreSignals {
  readonly rewardsBonus: number;
  /** The number of operators in whose point systems the wallet takes part, or who blacklist it. */
  readonly operators: number;
  /** The sum of the weights of the reasons with which operators blacklist it. */
  readonly reasonWeight: number;
}

/** Everything that a score is computed from. */
export interface ScoreFacts {
  readonly chains: readonly ChainActivity[];
  readonly hasPrimaryName: boolean;
  /** The ids of the chains whose activity is not known, or not wholly. */
  readonly missingChains: readonly number[];
  /** Null when the signals could not be read. */
  readonly signals: ScoreSignals | null;
  readonly now: Date;
}

/** A score and how it came about, in the names of the interface. */
export interface ScoreResult {
  readonly finalScore: number;
  readonly breakdown: {
    readonly age_factor: number;
    readonly activity_factor: number;
    readonly wallet_age_days: number | null;
    readonly total_txs: number;
    readonly chains_active: number;
    readonly last_tx_days_ago: number | null;
  };
  readonly bonuses: { readonly ens: number; readonly multichain: number; readonly rewards: number };
  readonly penalties: { readonly recency: number; readonly humanity: number; readonly bot: number };
  readonly dataSources: {
    readonly explorer: boolean;
    readonly rewards: boolean;
    /** The ids of the chains that are not, or not wholly, in the score; left out when all are. */
    readonly missingChains?: readonly number[] | undefined;
  };
}

/** Computes a wallet's score by applying the rules to its facts. */
export function computeScore(facts: ScoreFacts): ScoreResult {
  const { chains, now, signals, missingChains } = facts;
  const ageDays = countDays(findEdge(chains, "firstAt", Math.min), now);
  const lastDays = countDays(findEdge(chains, "lastAt", Math.max), now);
  const transactions = chains.reduce((sum, chain) => sum + chain.transactions, 0);
  const active = chains.filter((chain) => chain.transactions > 0).length;
  const parts = {
    breakdown: {
      age_factor: toFactor((ageDays ?? 0) / SCORE_RULES.fullAgeDays),
      activity_factor: toFactor(transactions / SCORE_RULES.fullTransactions),
      wallet_age_days: ageDays,
      total_txs: transactions,
      chains_active: active,
      last_tx_days_ago: lastDays,
    },
    bonuses: {
      ens: facts.hasPrimaryName ? SCORE_RULES.ensBonus : 0,
      multichain: active >= SCORE_RULES.multichainFrom ? SCORE_RULES.multichainBonus : 0,
      rewards: signals?.rewardsBonus ?? 0,
    },
    penalties: {
      recency: getRecencyPenalty(lastDays, missingChains.length === 0),
      humanity: assessHumanity(chains.flatMap(({ sentAt }) => sentAt)).penalty,
      bot: signals ? getBotPenalty(signals.operators, signals.reasonWeight) : 0,
    },
  };
  return {
    finalScore: getFinalScore(parts),
    ...parts,
    dataSources: {
      explorer: chains.length > 0,
      rewards: signals !== null,
      ...(missingChains.length > 0 && { missingChains }),
    },
  };
}

/**
 * Computes the final score from exactly the numbers that the answer shows, so that a reader can
 * compute it again. The arithmetic is in hundredths of a point, so that no binary fraction decides
 * how a half is rounded.
 */
export function getFinalScore({
  breakdown,
  bonuses,
  penalties,
}: Pick<ScoreResult, "breakdown" | "bonuses" | "penalties">): number {
  const age = Math.round(breakdown.age_factor * 10_000);
  const activity = Math.round(breakdown.activity_factor * 10_000);
  const points =
    bonuses.ens +
    bonuses.multichain +
    bonuses.rewards +
    penalties.recency -
    penalties.bot -
    penalties.humanity;
  const hundredths = Math.round((age * activity) / 10_000 + points * 100);
  return Math.min(10_000, Math.max(0, hundredths)) / 100;
}

/**
 * Returns the penalty for a wallet that was not active recently.
 * @param lastDays null when no transaction is known
 * @param isComplete whether the activity on all chains is known
 */
export function getRecencyPenalty(lastDays: number | null, isComplete: boolean): number {
  const isAway = lastDays === null ? isComplete : lastDays > SCORE_RULES.recentDays;
  return isAway ? SCORE_RULES.recencyPenalty : 0;
}

/** Computes the penalty for being blacklisted by independent operators. */
export function getBotPenalty(operators: number, reasonWeight: number): number {
  if (operators === 0) return 0;
  const { penaltyMax, fullWeight } = SCORE_RULES.bot;
  const evidence = Math.min(1, reasonWeight / fullWeight);
  // Weights are tenths: the error of binary fractions must not change how a half is rounded.
  const penalty = (penaltyMax * evidence * reasonWeight) / operators;
  return Math.min(penaltyMax, Math.round(Number(penalty.toFixed(9))));
}

function toFactor(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 10_000;
}

function findEdge(
  chains: readonly ChainActivity[],
  edge: "firstAt" | "lastAt",
  choose: (...times: number[]) => number,
): Date | null {
  const times = chains.flatMap((chain) => chain[edge]?.getTime() ?? []);
  return times.length === 0 ? null : new Date(choose(...times));
}

function countDays(since: Date | null, now: Date): number | null {
  return since && Math.max(0, Math.floor((now.getTime() - since.getTime()) / DAY_MS));
}
