import { LRUCache } from "lru-cache";
import { isEnsConfigured, loadEnsLookup } from "../../chain/ens/ens";
import { type EnsLookup, ETHEREUM_COIN_TYPE } from "../../chain/ens/protocol";
import { type Address, parseAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createTurns } from "../runtime/limiter";
import { type EnsEntry, findEnsEntry, saveEnsAnswer, saveEnsFailure } from "./store";

// What ENS said is kept in PostgreSQL, for every instance, and in memory before it.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** "There is none" holds so long. */
const NOTHING_MS = 15 * MINUTE_MS;
/** So long nobody is asked again after a failure. */
const FAILURE_MS = MINUTE_MS;
/** An answer that is no longer fresh can stand in for one that cannot be had, so long. */
const STALE_MS = 24 * HOUR_MS;

const ENTRIES_MAX = 10_000;
/** A request waits so long for ENS in all. */
const PATIENCE_MS = 3_000;
/** And an address' so long while ENS is slow to fail: it has an answer without ENS. */
const SHORT_PATIENCE_MS = 250;
/** A failure that took longer says that ENS is slow. */
const SLOW_MS = 1_000;

/** How long each kind of answer is fresh, and whether an older one is given while it is renewed. */
const FORWARD = { freshMs: 10 * MINUTE_MS, isRenewedBehind: false };
const REVERSE = { freshMs: HOUR_MS, isRenewedBehind: true };
type Kind = typeof FORWARD;

const NOTHING_KNOWN: EnsEntry = { answer: null, resolvedAtMs: null, failedAtMs: null };

/** An answer of ENS's, and when it was found out. */
interface EnsAnswer<Value> {
  readonly value: Value | null;
  readonly resolvedAt: Date;
}

export interface EnsNames {
  /**
   * The name as ENS writes it. Null when the text is no name.
   */
  readonly normalizeName: (text: string) => Promise<string | null>;
  /**
   * The address of a normalized name.
   * @throws {Failure} `ens_unavailable` when that could not be found out, and is not kept
   */
  readonly findAddress: (name: string) => Promise<EnsAnswer<Address>>;
  /** The name of an address. No failure of ENS's is one here: there is no name then. */
  readonly findPrimaryName: (address: Address) => Promise<EnsAnswer<string>>;
  /**
   * The name of an address on a chain, by ENS's number of it.
   * @throws {Failure} `ens_unavailable` when that could not be found out, and is not kept
   */
  readonly getPrimaryName: (address: Address, coinType: bigint) => Promise<EnsAnswer<string>>;
}

/** What tests put in place of the world. */
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

/** Makes a memory of what ENS says, before the one that all instances share. */
export function createEnsNames(world: Partial<EnsWorld> = {}): EnsNames {
  const { now, load, isConfigured, patienceMs } = { ...WORLD, ...world };
  const entries = new LRUCache<string, EnsEntry>({ max: ENTRIES_MAX });
  const recalls = new Map<string, Promise<EnsEntry>>();
  const renewals = new Map<string, Promise<Renewal>>();
  const takeTurn = createTurns({ atOnceMax: 32, waitingMax: 1_000, waitMs: patienceMs });
  let isSlow = false;

  const isFresh = ({ answer, resolvedAtMs }: EnsEntry, { freshMs }: Kind) =>
    resolvedAtMs !== null && now() - resolvedAtMs < (answer === null ? NOTHING_MS : freshMs);
  const isUsable = ({ answer, resolvedAtMs }: EnsEntry, { freshMs }: Kind) =>
    answer !== null && resolvedAtMs !== null && now() - resolvedAtMs < freshMs + STALE_MS;
  const hasJustFailed = ({ failedAtMs }: EnsEntry) =>
    failedAtMs !== null && now() - failedAtMs < FAILURE_MS;

  /** What is known, here or by any instance. */
  function recall(question: string): Promise<EnsEntry> {
    return once(recalls, question, async () => {
      const shared = await findEnsEntry(question);
      const own = entries.get(question);
      const entry = own && shared ? pickNewer(own, shared) : (own ?? shared ?? NOTHING_KNOWN);
      if (entry !== NOTHING_KNOWN) entries.set(question, entry);
      return entry;
    });
  }

  /** Asks ENS, once for all who wait. */
  function renew(
    question: string,
    kind: Kind,
    known: EnsEntry,
    lookUp: (lookup: EnsLookup) => Promise<string | null>,
  ): Promise<Renewal> {
    return once(renewals, question, () =>
      takeTurn(async () => {
        const startedAt = performance.now();
        try {
          const answer = await lookUp(await load());
          isSlow = false;
          const resolvedAtMs = now();
          const entry = { answer, resolvedAtMs, failedAtMs: null };
          entries.set(question, entry);
          const keptMs = answer === null ? NOTHING_MS : kind.freshMs + STALE_MS;
          await keep(
            saveEnsAnswer(question, answer, { resolvedAtMs, keepUntilMs: resolvedAtMs + keptMs }),
          );
          return { entry, cause: null };
        } catch (cause) {
          isSlow = performance.now() - startedAt > SLOW_MS;
          const failedAtMs = now();
          const entry = { ...known, failedAtMs };
          entries.set(question, entry);
          await keep(
            saveEnsFailure(question, { failedAtMs, keepUntilMs: failedAtMs + FAILURE_MS }),
          );
          return { entry, cause };
        }
      }),
    );
  }

  async function ask(
    question: string,
    kind: Kind,
    patienceMs: number,
    lookUp: (lookup: EnsLookup) => Promise<string | null>,
  ): Promise<{ answer: string | null; resolvedAt: Date }> {
    if (!isConfigured()) throw unavailable(FAILURE_MS);
    const isSettled = (entry: EnsEntry) => isFresh(entry, kind) || hasJustFailed(entry);
    let entry = entries.get(question);
    if (!entry || !isSettled(entry)) entry = await recall(question);
    let cause: unknown;
    if (!isSettled(entry)) {
      const renewal = renew(question, kind, entry, lookUp);
      // It goes on whoever stops waiting; and too busy to ask is as good as not having asked.
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

  async function askForName(address: Address, coinType: bigint, patienceMs: number) {
    const question = coinType === ETHEREUM_COIN_TYPE ? address : `${address}@${coinType}`;
    const { answer, resolvedAt } = await ask(question, REVERSE, patienceMs, (lookup) =>
      lookup.findPrimaryName(address, coinType),
    );
    return { value: answer, resolvedAt };
  }

  return {
    normalizeName: async (text) => (text.includes(".") ? (await load()).normalizeName(text) : null),
    async findAddress(name) {
      const { answer, resolvedAt } = await ask(name, FORWARD, patienceMs, (lookup) =>
        lookup.findAddress(name),
      );
      return { value: answer === null ? null : parseAddress(answer), resolvedAt };
    },
    async findPrimaryName(address) {
      try {
        const patience = isSlow ? Math.min(SHORT_PATIENCE_MS, patienceMs) : patienceMs;
        return await askForName(address, ETHEREUM_COIN_TYPE, patience);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "ens_unavailable") throw error;
        return { value: null, resolvedAt: new Date(now()) };
      }
    },
    getPrimaryName: (address, coinType) => askForName(address, coinType, patienceMs),
  };
}

interface Renewal {
  readonly entry: EnsEntry;
  /** Why it failed. */
  readonly cause: unknown;
}

/** The names of this process. */
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

/** Does work once for all who ask for it while it is under way. */
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

/** What comes in time. Null when nothing does, or it fails. */
function within<Value>(coming: Promise<Value>, timeMs: number): Promise<Value | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), timeMs);
    coming.then(resolve, () => resolve(null)).finally(() => clearTimeout(timer));
  });
}

/** The answer is there: that it could not be kept for others is no failure of it. */
async function keep(saving: Promise<void>): Promise<void> {
  await saving.catch(() => {});
}
