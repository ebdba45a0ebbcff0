import { LRUCache } from "lru-cache";
import { isEnsConfigured, loadEnsLookup } from "../../chain/ens/ens";
import { type EnsLookup, EnsUnreachableError, ETHEREUM_COIN_TYPE } from "../../chain/ens/protocol";
import { type Address, parseAddress } from "../../domain/address";
import { waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { createLimiter } from "../runtime/limiter";
import { type EnsEntry, findEnsEntry, saveEnsAnswer, saveEnsFailure } from "./store";

// Answers of ENS are kept in PostgreSQL for all instances, with a cache in memory before it.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The time for which the answer "there is none" is fresh. */
const NOTHING_MS = 15 * MINUTE_MS;
/** The time after a failure in which ENS is not asked again. */
const FAILURE_MS = MINUTE_MS;
/** The time after which an ENS that could not be connected to is tried again, by one question. */
const UNREACHABLE_MS = 10_000;
/** The time for which an answer that is no longer fresh can replace one that ENS does not give. */
const STALE_MS = 24 * HOUR_MS;

const ENTRIES_MAX = 10_000;
/** The total time for which a request waits for ENS. */
const PATIENCE_MS = 3_000;
/** The shorter wait of a request by address while ENS is slow for its asker: it can be answered without ENS. */
const SHORT_PATIENCE_MS = 250;
/** A failure that took longer than this means that ENS is slow. */
const SLOW_MS = 1_000;

/**
 * The time for which each kind of answer is fresh, and whether an older answer is given while it is
 * renewed.
 */
const FORWARD = { freshMs: 10 * MINUTE_MS, isRenewedBehind: false };
const REVERSE = { freshMs: HOUR_MS, isRenewedBehind: true };
type Kind = typeof FORWARD;

const NOTHING_KNOWN: EnsEntry = { answer: null, resolvedAtMs: null, failedAtMs: null };

/** An answer of ENS, and the time at which it was given. */
interface EnsAnswer<Value> {
  readonly value: Value | null;
  readonly resolvedAt: Date;
}

export interface EnsNames {
  /** Normalizes a name as ENS does. Null when the text is not a name. */
  readonly normalizeName: (text: string) => Promise<string | null>;
  /**
   * Finds the address of a normalized name.
   * @param asker on whose account it is asked: each has a bounded part of the look-ups at once
   * @throws {Failure} `ens_unavailable` when ENS gives no answer and none is kept
   */
  readonly findAddress: (name: string, asker: string) => Promise<EnsAnswer<Address>>;
  /** Finds the name of an address. A failure of ENS is not thrown; the result then has no name. */
  readonly findPrimaryName: (address: Address, asker: string) => Promise<EnsAnswer<string>>;
  /**
   * Finds the name of an address on a chain, by the chain's number in ENS.
   * @throws {Failure} `ens_unavailable` when ENS gives no answer and none is kept
   */
  readonly getPrimaryName: (
    address: Address,
    coinType: bigint,
    asker: string,
  ) => Promise<EnsAnswer<string>>;
}

/** The surroundings, which tests replace. */
interface EnsWorld {
  readonly now: () => number;
  readonly load: () => Promise<EnsLookup>;
  readonly isConfigured: () => boolean;
  readonly patienceMs: number;
}

const WORLD: EnsWorld = {
  now: Date.now,
  load: loadEnsLookup,
  isConfigured: isEnsConfigured,
  patienceMs: PATIENCE_MS,
};

/** Creates a cache of ENS's answers in memory, before the store that all instances share. */
export function createEnsNames(world: Partial<EnsWorld> = {}): EnsNames {
  const { now, load, isConfigured, patienceMs } = { ...WORLD, ...world };
  const entries = new LRUCache<string, EnsEntry>({ max: ENTRIES_MAX });
  const recalls = new Map<string, Promise<EnsEntry>>();
  const renewals = new Map<string, SharedRenewal>();
  const limitLookups = createLimiter({
    atOnceMax: 32,
    waitingMax: 1_000,
    waitMs: patienceMs,
    partOfGroup: 1 / 4,
  });
  /** The askers whose last look-up failed slowly. */
  const slowAskers = new LRUCache<string, true>({ max: ENTRIES_MAX });
  let unreachableUntilMs = 0;

  const isFresh = ({ answer, resolvedAtMs }: EnsEntry, { freshMs }: Kind) =>
    resolvedAtMs !== null && now() - resolvedAtMs < (answer === null ? NOTHING_MS : freshMs);
  const isUsable = ({ answer, resolvedAtMs }: EnsEntry, { freshMs }: Kind) =>
    answer !== null && resolvedAtMs !== null && now() - resolvedAtMs < freshMs + STALE_MS;
  const hasJustFailed = ({ failedAtMs }: EnsEntry) =>
    failedAtMs !== null && now() - failedAtMs < FAILURE_MS;

  /** Reads the newest answer known to this process or to any instance. */
  function recall(question: string): Promise<EnsEntry> {
    return once(recalls, question, async () => {
      const shared = await findEnsEntry(question);
      const own = entries.get(question);
      const entry = own && shared ? pickNewer(own, shared) : (own ?? shared ?? NOTHING_KNOWN);
      if (entry !== NOTHING_KNOWN) entries.set(question, entry);
      return entry;
    });
  }

  /** Asks ENS once for all waiting callers, on account of the asker whose turn comes first. */
  function renew(asked: Question, known: EnsEntry): Promise<Renewal> {
    const { question, asker } = asked;
    const shared = renewals.get(question) ?? shareRenewal(question);
    const { renewal, resolve, reject, askers } = shared;
    if (shared.isUnderWay || askers.has(asker)) return renewal;
    askers.add(asker);
    const turn = limitLookups(async () => {
      if (shared.isUnderWay) return;
      shared.isUnderWay = true;
      resolve(askEns(asked, known));
      await renewal;
    }, asker);
    turn.catch((error: unknown) => {
      askers.delete(asker);
      if (askers.size === 0) reject(error);
    });
    return renewal;
  }

  function shareRenewal(question: string): SharedRenewal {
    let resolve: SharedRenewal["resolve"] = () => {};
    let reject: SharedRenewal["reject"] = () => {};
    const renewal = new Promise<Renewal>((...settle) => {
      [resolve, reject] = settle;
    });
    const shared = { renewal, resolve, reject, askers: new Set<string>(), isUnderWay: false };
    renewals.set(question, shared);
    const end = () => renewals.delete(question);
    renewal.then(end, end);
    return shared;
  }

  async function askEns({ question, kind, asker, lookUp }: Question, known: EnsEntry) {
    const startedAt = performance.now();
    try {
      const answer = await lookUp(await load());
      slowAskers.delete(asker);
      const resolvedAtMs = now();
      const entry = { answer, resolvedAtMs, failedAtMs: null };
      entries.set(question, entry);
      const keptMs = answer === null ? NOTHING_MS : kind.freshMs + STALE_MS;
      await keep(
        saveEnsAnswer(question, answer, { resolvedAtMs, keepUntilMs: resolvedAtMs + keptMs }),
      );
      return { entry, cause: null };
    } catch (cause) {
      if (performance.now() - startedAt > SLOW_MS) slowAskers.set(asker, true);
      else slowAskers.delete(asker);
      const failedAtMs = now();
      const entry = noteFailure(question, known);
      if (cause instanceof EnsUnreachableError) {
        // This says nothing about the question: other instances may reach ENS.
        unreachableUntilMs = failedAtMs + UNREACHABLE_MS;
        return { entry, cause };
      }
      await keep(saveEnsFailure(question, { failedAtMs, keepUntilMs: failedAtMs + FAILURE_MS }));
      return { entry, cause };
    }
  }

  function noteFailure(question: string, known: EnsEntry): EnsEntry {
    const entry = { ...known, failedAtMs: now() };
    entries.set(question, entry);
    return entry;
  }

  async function ask(
    asked: Question,
    patienceMs: number,
  ): Promise<{ answer: string | null; resolvedAt: Date }> {
    const { question, kind } = asked;
    if (!isConfigured()) throw unavailable(FAILURE_MS);
    const isSettled = (entry: EnsEntry) => isFresh(entry, kind) || hasJustFailed(entry);
    let entry = entries.get(question);
    if (!entry || !isSettled(entry)) entry = await recall(question);
    let cause: unknown;
    if (!isSettled(entry) && now() < unreachableUntilMs) entry = noteFailure(question, entry);
    if (!isSettled(entry)) {
      const renewal = renew(asked, entry);
      // The renewal continues when its callers stop waiting. A rejection because too many wait is
      // ignored, as if ENS had not been asked.
      renewal.catch(() => {});
      if (!(kind.isRenewedBehind && isUsable(entry, kind))) {
        const renewed = await within(renewal, patienceMs);
        entry = renewed?.entry ?? entry;
        cause = renewed?.cause;
      }
    }
    const { answer, resolvedAtMs, failedAtMs } = entry;
    if (resolvedAtMs !== null && (isFresh(entry, kind) || isUsable(entry, kind))) {
      return { answer, resolvedAt: new Date(resolvedAtMs) };
    }
    throw unavailable(failedAtMs === null ? 0 : failedAtMs + FAILURE_MS - now(), cause);
  }

  async function askForName(
    address: Address,
    coinType: bigint,
    asker: string,
    patienceMs: number,
  ): Promise<EnsAnswer<string>> {
    const question = coinType === ETHEREUM_COIN_TYPE ? address : `${address}@${coinType}`;
    const lookUp = (lookup: EnsLookup) => lookup.findPrimaryName(address, coinType);
    const { answer, resolvedAt } = await ask(
      { question, kind: REVERSE, asker, lookUp },
      patienceMs,
    );
    return { value: answer, resolvedAt };
  }

  return {
    normalizeName: async (text) => (text.includes(".") ? (await load()).normalizeName(text) : null),
    async findAddress(name, asker) {
      const lookUp = (lookup: EnsLookup) => lookup.findAddress(name);
      const { answer, resolvedAt } = await ask(
        { question: name, kind: FORWARD, asker, lookUp },
        patienceMs,
      );
      return { value: answer === null ? null : parseAddress(answer), resolvedAt };
    },
    async findPrimaryName(address, asker) {
      try {
        const isSlow = slowAskers.has(asker);
        const patience = isSlow ? Math.min(SHORT_PATIENCE_MS, patienceMs) : patienceMs;
        return await askForName(address, ETHEREUM_COIN_TYPE, asker, patience);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "ens_unavailable") throw error;
        return { value: null, resolvedAt: new Date(now()) };
      }
    },
    getPrimaryName: (address, coinType, asker) => askForName(address, coinType, asker, patienceMs),
  };
}

interface Question {
  /** The name or address, by which answers are kept. */
  readonly question: string;
  readonly kind: Kind;
  readonly asker: string;
  readonly lookUp: (lookup: EnsLookup) => Promise<string | null>;
}

interface Renewal {
  readonly entry: EnsEntry;
  /** The cause of the failure, if it failed. */
  readonly cause: unknown;
}

/** A renewal for all who ask the same. Each asker waits for a turn of its own. */
interface SharedRenewal {
  readonly renewal: Promise<Renewal>;
  readonly resolve: (renewal: Promise<Renewal>) => void;
  readonly reject: (error: unknown) => void;
  /** The askers that wait for a turn, or have had one. */
  readonly askers: Set<string>;
  isUnderWay: boolean;
}

/** The ENS names of this process. */
export const ensNames: EnsNames = createEnsNames();

function unavailable(retryAfterMs: number, cause?: unknown): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new Failure("ens_unavailable", { retryAfterSeconds, cause });
}

function pickNewer(a: EnsEntry, b: EnsEntry): EnsEntry {
  return lastSaid(a) >= lastSaid(b) ? a : b;
}

function lastSaid({ resolvedAtMs, failedAtMs }: EnsEntry): number {
  return Math.max(resolvedAtMs ?? 0, failedAtMs ?? 0);
}

/** Runs work once for all callers that ask for it while it is under way. */
function once<Value>(
  underWay: Map<string, Promise<Value>>,
  key: string,
  work: () => Promise<Value>,
): Promise<Value> {
  let promise = underWay.get(key);
  if (!promise) {
    promise = work().finally(() => underWay.delete(key));
    underWay.set(key, promise);
  }
  return promise;
}

/** Waits for a result for a limited time. Null when it is late or fails. */
function within<Value>(coming: Promise<Value>, timeMs: number): Promise<Value | null> {
  return waitInTime(coming, timeMs, () => new Error("The time is up")).catch(() => null);
}

/** Ignores a failure to store an answer: the answer itself is valid. */
async function keep(saving: Promise<void>): Promise<void> {
  await saving.catch(() => {});
}
