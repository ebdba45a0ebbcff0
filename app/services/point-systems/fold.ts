import { type SQL, sql } from "drizzle-orm";
import { readForAll } from "../../db/citus/shard-query";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { isCheckViolated, isLocked, isRetryable, isTimedOut, NotSentError } from "../../db/errors";
import { STATEMENT_TIMEOUT_MS } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { type LedgerLook, readDueWork } from "../runtime/due-work";

/** Point systems that a step checks, and those that it folds. */
const LOOKED_AT_MAX = 500;
const FOLDED_MAX = 50;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** The rest of a point system after its first failure. It doubles with each, up to the longest. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 300_000;
/** The time of a fold after which its point system is in trouble: a full one takes 0.1 s. */
const LONG_MS = 1_000;
/** By how much a fold's size grows after a short one. */
const GROWTH = 1.1;
/** The part of the time that point systems in trouble may take from the others, and how much of it they may save up. */
const TROUBLED_PART = 1 / 8;
const SAVED_UP_MS = 1_000;
/** Entries of a tail that are counted for metrics. */
const TAIL_MEASURED_MAX = 10_000;

/** A way to count what the ledgers of point systems gained. */
interface FoldRules {
  /** The thing that is counted, for messages. */
  readonly name: string;
  /** The condition of a row `t` of `list_tails` that has a tail. */
  readonly hasTail: SQL;
  /** A query of the first entries of such a row's tail, at most as many as are given. */
  readonly listTail: (entriesMax: number) => SQL;
  /** The most entries of a run for one point system, when `waiting` have a tail. */
  readonly entriesMax: (waiting: number) => number;
  /**
   * Counts the next entries of a point system, in transactions of `foldInTime`.
   * @returns the number of entries, or `entriesMax` when there may be more; 0 also when another process counts them
   */
  readonly fold: (pointSystemId: string, entriesMax: number, timeMaxMs: number) => Promise<number>;
  /**
   * Orders the repair of counts that a check of the database refuses; called at each failure.
   * @returns false when one is ordered already
   */
  readonly repair?: (pointSystemId: string) => Promise<boolean>;
}

/** The fold of one point system fails, while the database serves the others. */
export class FoldError extends Error {}

/** A point system with a fold that failed or took long, until short ones succeed up to the full size. */
interface Trouble {
  /** The failures since the last success. */
  failures: number;
  retryAtMs: number;
  /** The size of its next fold. */
  entriesMax: number;
  /** Whether it comes behind the others: its last fold failed or took long. */
  isBehind: boolean;
  isReported: boolean;
}

interface FoldRun {
  /** Receives the first failure of each point system's series; without it, a failure is thrown. */
  readonly report?: (error: unknown) => void;
  /** The state of the ledgers, read before the run; read by the run when left out. */
  readonly look?: LedgerLook;
  /** Is called for each point system that had as many entries as were counted at most: there may be more. */
  readonly onFull?: () => void;
}

/** The work that a fold has before it. */
interface FoldState {
  /** The point systems that have a tail; a length is at most `TAIL_MEASURED_MAX`. */
  readonly tails: readonly { readonly pointSystemId: string; readonly entries: number }[];
  /** The ids of the point systems whose last fold failed in this process. */
  readonly failing: readonly string[];
}

export interface Fold {
  /**
   * Counts what the next point systems with a tail gained. One that fails or takes long leaves the others alone: it comes
   * behind them, with a bounded part of the time. After a failure it rests longer and longer, and counts half as many
   * entries after a statement that took too long. Without new entries in any ledger, it costs no statement.
   * @returns whether there is more to count right away
   */
  readonly run: (run?: FoldRun) => Promise<boolean>;
  /** Measures all tails, for metrics. The cost grows with the number of point systems. */
  readonly measure: () => Promise<FoldState>;
}

/** Runs a transaction of a fold, in which PostgreSQL ends a statement after `timeMaxMs`; after its usual time if left out. */
export function foldInTime<T>(
  timeMaxMs: number | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(async (tx) => {
    if (timeMaxMs !== undefined) {
      await tx.execute(sql`select set_config('statement_timeout', ${String(timeMaxMs)}, true)`);
    }
    return work(tx);
  });
}

/** Creates a fold that goes round all point systems, some at a time. Each process has its own. */
export function createFold(rules: FoldRules): Fold {
  const troubles = new Map<string, Trouble>();
  let afterId = FIRST_ID;
  /** The look before the round, and the point systems that the round has met with a tail. */
  let roundLook: LedgerLook | undefined;
  const withTail = new Set<string>();
  /** The look before the last round that met no tail. */
  let emptyLook: LedgerLook | undefined;
  /** All ledgers are counted up to here, as long as it is the newest position. */
  let settledSeq: string | undefined;
  /** From then on, a point system in trouble may be folded beside others. */
  let troubledFromMs = 0;

  /** Finds the next point systems of the round that have a tail; none when nothing can be new. */
  async function takeStep(look: LedgerLook): Promise<{ ids: string[]; isOver: boolean }> {
    const isAtStart = afterId === FIRST_ID;
    if (isAtStart) {
      if (look.newestSeq === settledSeq || look === emptyLook) return { ids: [], isOver: true };
      roundLook = look;
      withTail.clear();
    }
    const listed = await withDatabase((db) =>
      readForAll<{ id: string; hasTail: boolean | null }>(
        db,
        sql`
        select t.id, ${rules.hasTail} as "hasTail"
        from list_tails(${afterId}::uuid, ${LOOKED_AT_MAX}) t order by t.id`,
      ),
    );
    // In the order of ids already, unless they came from several shards.
    const found = [...listed]
      .sort((one, next) => (one.id < next.id ? -1 : 1))
      .slice(0, LOOKED_AT_MAX);
    for (const { id, hasTail } of found) if (hasTail) withTail.add(id);
    // One in trouble is tried again by its time, not by the round.
    const waiting = found
      .filter(({ id, hasTail }) => hasTail && !isBehind(id))
      .slice(0, FOLDED_MAX);
    const isFull = waiting.length === FOLDED_MAX;
    const isOver = !isFull && found.length < LOOKED_AT_MAX;
    afterId = (!isOver && (isFull ? waiting : found).at(-1)?.id) || FIRST_ID;
    if (isOver) endRound();
    return { ids: waiting.map(({ id }) => id), isOver };
  }

  /** Forgets the trouble of those whose tail other processes have counted, or that were deleted. */
  function endRound(): void {
    for (const id of troubles.keys()) if (!withTail.has(id)) troubles.delete(id);
    if ([...withTail].every(isBehind)) settle();
  }

  /**
   * Notes that a round met no tail but of those in trouble. A writer takes its position some microseconds before its
   * transaction has a number. So it takes two looks to be sure, the second one while nobody writes.
   */
  function settle(): void {
    if (roundLook?.isQuiet && roundLook.newestSeq === emptyLook?.newestSeq) {
      settledSeq = roundLook.newestSeq;
    }
    emptyLook = roundLook;
  }

  const isBehind = (id: string) => troubles.get(id)?.isBehind ?? false;

  /** Folds a point system, and notes how it went. */
  async function foldOne(id: string, wanted: number, report: FoldRun["report"]): Promise<boolean> {
    const trouble = troubles.get(id);
    const wasBehind = isBehind(id);
    const entriesMax = Math.min(wanted, trouble?.entriesMax ?? wanted);
    const timeMaxMs = entriesMax === 1 ? STATEMENT_TIMEOUT_MS : LONG_MS;
    const startedAtMs = performance.now();
    const tookMs = () => performance.now() - startedAtMs;
    try {
      const entries = await rules.fold(id, entriesMax, timeMaxMs);
      if (tookMs() > LONG_MS) noteLong(id, entriesMax);
      else if (entries === 0 && wasBehind && trouble) noteNothing(trouble);
      else if (trouble) noteSuccess(id, trouble);
      return entries === entriesMax;
    } catch (error) {
      await noteFailure(id, entriesMax, error, report);
      return false;
    } finally {
      if (wasBehind || isBehind(id)) {
        const earliestMs = Math.max(troubledFromMs, startedAtMs - SAVED_UP_MS);
        const latestMs = performance.now() + LONG_MS / TROUBLED_PART;
        troubledFromMs = Math.min(earliestMs + tookMs() / TROUBLED_PART, latestMs);
      }
    }
  }

  const rest = ({ failures }: Trouble) =>
    performance.now() + Math.min(FIRST_REST_MS * 2 ** failures, LONGEST_REST_MS);
  const halve = (entriesMax: number) => Math.max(1, Math.floor(entriesMax / 2));

  function getTrouble(id: string, entriesMax: number): Trouble {
    const trouble = troubles.get(id) ?? {
      ...{ failures: 0, retryAtMs: 0, entriesMax, isBehind: true, isReported: false },
    };
    troubles.set(id, trouble);
    return Object.assign(trouble, { isBehind: true });
  }

  function noteLong(id: string, entriesMax: number): void {
    Object.assign(getTrouble(id, entriesMax), {
      ...{ failures: 0, retryAtMs: performance.now(), entriesMax: halve(entriesMax) },
    });
  }

  /** Notes a short fold: it no longer comes behind the others, and its size grows slowly, so that it seldom fails again. */
  function noteSuccess(id: string, trouble: Trouble): void {
    const entriesMax = Math.ceil(trouble.entriesMax * GROWTH);
    Object.assign(trouble, { failures: 0, entriesMax, isBehind: false });
    if (entriesMax >= rules.entriesMax(1)) troubles.delete(id);
    startRounds();
  }

  /** Notes that one in trouble had nothing to count: another process counts it now, or has. The next round tells. */
  function noteNothing(trouble: Trouble): void {
    trouble.retryAtMs = rest(trouble);
    startRounds();
  }

  /** Starts the rounds again after those that met no tail but of those in trouble. */
  function startRounds(): void {
    settledSeq = undefined;
    emptyLook = undefined;
  }

  async function noteFailure(
    id: string,
    entriesMax: number,
    error: unknown,
    report: FoldRun["report"],
  ): Promise<void> {
    const trouble = getTrouble(id, entriesMax);
    trouble.retryAtMs = rest(trouble);
    trouble.failures += 1;
    if (isTimedOut(error)) trouble.entriesMax = halve(entriesMax);
    // Without a database, all others would fail as well. A fold that was not sent has waited for a
    // writer of its own point system.
    const isOwn =
      error instanceof Failure &&
      (error.cause instanceof NotSentError ||
        [isLocked, isTimedOut, isRetryable].some((is) => is(error)));
    const isGeneral = error instanceof Failure && error.code === "service_unavailable" && !isOwn;
    if (isGeneral || !report) throw error;
    const message = `The ${rules.name} of point system ${id} cannot be counted`;
    if (!trouble.isReported) report(new FoldError(message, { cause: error }));
    trouble.isReported = true;
    if (isCheckViolated(error) && rules.repair && (await rules.repair(id))) {
      report(new Error(`The ${rules.name} of point system ${id} are rebuilt`));
    }
  }

  return {
    async run({ report, look, onFull } = {}) {
      const now = performance.now();
      const step = await takeStep(look ?? (await readDueWork()).ledger);
      const wanted = rules.entriesMax(Math.max(1, step.ids.length));
      let hasMore = !step.isOver;
      const fold = async (id: string) => {
        if (!(await foldOne(id, wanted, report))) return;
        hasMore = true;
        onFull?.();
      };
      for (const id of step.ids) await fold(id);
      const rested = [...troubles]
        .filter(([, { isBehind, retryAtMs }]) => isBehind && retryAtMs <= now)
        .sort(([, one], [, next]) => one.retryAtMs - next.retryAtMs);
      for (const [place, [id]] of rested.entries()) {
        // Where no other waits, one at a time: another may come.
        const isAlone = place === 0 && step.ids.length === 0;
        if (!isAlone && performance.now() < troubledFromMs) {
          hasMore ||= step.ids.length === 0;
          break;
        }
        await fold(id);
      }
      return hasMore;
    },
    async measure() {
      const tails = await withDatabase((db) =>
        readForAll<{ pointSystemId: string; entries: number }>(
          db,
          sql`
          select t.id as "pointSystemId", tail.entries
          from list_tails(${FIRST_ID}::uuid, null) t
          cross join lateral (
            select count(*)::int as entries from (${rules.listTail(TAIL_MEASURED_MAX)}) entries
          ) tail
          where ${rules.hasTail} order by t.id`,
        ),
      );
      const failing = [...troubles].flatMap(([id, { failures }]) => (failures > 0 ? id : []));
      return { tails, failing };
    },
  };
}
