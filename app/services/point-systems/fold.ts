import { type SQL, sql } from "drizzle-orm";
import { readForAll } from "../../db/citus/shard-query";
import { withDatabase } from "../../db/client";
import { isCheckViolated, isLocked, isTimedOut, NotSentError } from "../../db/errors";
import { Failure } from "../../domain/failure";
import { type LedgerLook, readDueWork } from "../runtime/due-work";

/** Point systems that a step checks, and those that it folds. */
const LOOKED_AT_MAX = 500;
const FOLDED_MAX = 50;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** The rest of a point system after its first failure. It doubles with each, up to the longest. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 300_000;
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
   * Counts the next entries of a point system.
   * @returns the number of entries, or `entriesMax` when there may be more
   */
  readonly fold: (pointSystemId: string, entriesMax: number) => Promise<number>;
  /**
   * Orders the repair of counts that a check of the database refuses; called at each failure.
   * @returns false when one is ordered already
   */
  readonly repair?: (pointSystemId: string) => Promise<boolean>;
}

/** A point system whose last fold failed, until one of full size succeeds. */
interface Trouble {
  /** The failures since the last success. */
  failures: number;
  retryAtMs: number;
  entriesMax: number;
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
   * Counts what the next point systems with a tail gained. One that fails leaves the others alone: it
   * rests longer and longer, and counts half as many entries after a statement that took too long.
   * Without new entries in any ledger, it costs no statement.
   * @returns whether there is more to count right away
   */
  readonly run: (run?: FoldRun) => Promise<boolean>;
  /** Measures all tails, for metrics. The cost grows with the number of point systems. */
  readonly measure: () => Promise<FoldState>;
}

/** Creates a fold that goes round all point systems, some at a time. Each process has its own. */
export function createFold(rules: FoldRules): Fold {
  const troubles = new Map<string, Trouble>();
  let afterId = FIRST_ID;
  /** The look before the round, and whether the round has met a tail. */
  let roundLook: LedgerLook | undefined;
  let hasMetTail = false;
  /** The look before the last round that met no tail. */
  let emptyLook: LedgerLook | undefined;
  /** All ledgers are counted up to here, as long as it is the newest position. */
  let settledSeq: string | undefined;

  /** Finds the next point systems of the round that have a tail; none when nothing can be new. */
  async function takeStep(look: LedgerLook): Promise<{ ids: string[]; isOver: boolean }> {
    const isAtStart = afterId === FIRST_ID;
    if (isAtStart) {
      if (look.newestSeq === settledSeq || look === emptyLook) return { ids: [], isOver: true };
      roundLook = look;
      hasMetTail = false;
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
    // One that rests is tried again by its time, not by the round.
    const waiting = found
      .filter(({ id, hasTail }) => hasTail && !troubles.has(id))
      .slice(0, FOLDED_MAX);
    const isFull = waiting.length === FOLDED_MAX;
    const isOver = !isFull && found.length < LOOKED_AT_MAX;
    hasMetTail ||= waiting.length > 0;
    afterId = (!isOver && (isFull ? waiting : found).at(-1)?.id) || FIRST_ID;
    if (isOver && !hasMetTail) settle();
    return { ids: waiting.map(({ id }) => id), isOver };
  }

  /**
   * Notes that a round met no tail. A writer takes its position some microseconds before its
   * transaction has a number. So it takes two looks to be sure, the second one while nobody writes.
   */
  function settle(): void {
    if (roundLook?.isQuiet && roundLook.newestSeq === emptyLook?.newestSeq) {
      settledSeq = roundLook.newestSeq;
    }
    emptyLook = roundLook;
  }

  /** Folds a point system, and notes how it went. */
  async function foldOne(id: string, wanted: number, report: FoldRun["report"]): Promise<boolean> {
    const trouble = troubles.get(id);
    const entriesMax = Math.min(wanted, trouble?.entriesMax ?? wanted);
    try {
      const entries = await rules.fold(id, entriesMax);
      if (entriesMax * 2 >= wanted) troubles.delete(id);
      else if (trouble) Object.assign(trouble, { failures: 0, entriesMax: entriesMax * 2 });
      return entries === entriesMax;
    } catch (error) {
      await noteFailure(id, entriesMax, error, report);
      return false;
    }
  }

  async function noteFailure(
    id: string,
    entriesMax: number,
    error: unknown,
    report: FoldRun["report"],
  ): Promise<void> {
    const trouble = troubles.get(id) ?? {
      ...{ failures: 0, retryAtMs: 0, entriesMax, isReported: false },
    };
    troubles.set(id, trouble);
    const restMs = Math.min(FIRST_REST_MS * 2 ** trouble.failures, LONGEST_REST_MS);
    trouble.retryAtMs = performance.now() + restMs;
    trouble.failures += 1;
    if (isTimedOut(error)) trouble.entriesMax = Math.max(1, Math.floor(entriesMax / 2));
    // Without a database, all others would fail as well. Whom a writer kept waiting was not sent.
    const isGeneral =
      error instanceof Failure &&
      !(error.cause instanceof NotSentError || isLocked(error) || isTimedOut(error));
    if (isGeneral || !report) throw error;
    const message = `The ${rules.name} of point system ${id} cannot be counted`;
    if (!trouble.isReported) report(new Error(message, { cause: error }));
    trouble.isReported = true;
    if (isCheckViolated(error) && rules.repair && (await rules.repair(id))) {
      report(new Error(`The ${rules.name} of point system ${id} are rebuilt`));
    }
  }

  return {
    async run({ report, look, onFull } = {}) {
      const now = performance.now();
      const rested = [...troubles].flatMap(([id, { retryAtMs }]) => (retryAtMs <= now ? id : []));
      const step = await takeStep(look ?? (await readDueWork()).ledger);
      const ids = [...rested, ...step.ids];
      let hasMore = !step.isOver;
      for (const id of ids) {
        if (!(await foldOne(id, rules.entriesMax(ids.length), report))) continue;
        hasMore = true;
        onFull?.();
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
      return { tails, failing: [...troubles.keys()] };
    },
  };
}
