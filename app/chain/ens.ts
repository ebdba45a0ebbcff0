import type { Address } from "../domain/address";
import { Failure } from "../domain/failure";

// Names are resolved on Ethereum mainnet. What does it is loaded with the first name: a start does
// not wait for it.

/** Looks a name up. Null when it has no address; throws when that could not be found out. */
export type Lookup = (name: string) => Promise<Address | null>;

interface Answer {
  readonly address: Promise<Address | null>;
  readonly expiresAt: number;
}

interface State {
  readonly rpcUrl: string | null;
  lookup: Promise<Lookup> | null;
  /** By name, the oldest first. */
  readonly answers: Map<string, Answer>;
}

const ANSWER_KEPT_MS = 5 * 60_000;
const ANSWERS_MAX = 1_000;
const NAME_LENGTH_MAX = 255;

// One state for the process. On globalThis, as the database's is: the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsEns?: State | undefined };

/**
 * Sets up ENS for this process.
 * @param options.rpcUrl a JSON-RPC endpoint of Ethereum mainnet; null for none
 */
export function openEns({ rpcUrl }: { rpcUrl: string | null }): void {
  holder.pointsEns = { rpcUrl, lookup: null, answers: new Map() };
}

/**
 * Finds the address of an ENS name. An answer is kept for five minutes.
 * @returns null for what is no name, and for a name that has no address
 * @throws {Failure} `ens_not_configured`; `ens_unavailable` when no answer came within 3 s
 */
export async function resolveEnsName(name: string): Promise<Address | null> {
  const state = holder.pointsEns;
  if (!state?.rpcUrl) throw new Failure("ens_not_configured");
  if (!name.includes(".") || name.length > NAME_LENGTH_MAX) return null;
  const key = name.toLowerCase();
  const known = state.answers.get(key);
  if (known && known.expiresAt > Date.now()) return known.address;
  const address = lookUp(state, state.rpcUrl, key);
  state.answers.delete(key);
  state.answers.set(key, { address, expiresAt: Date.now() + ANSWER_KEPT_MS });
  const [oldest] = state.answers.keys();
  if (state.answers.size > ANSWERS_MAX && oldest !== undefined) state.answers.delete(oldest);
  try {
    return await address;
  } catch (error) {
    if (state.answers.get(key)?.address === address) state.answers.delete(key);
    throw error;
  }
}

async function lookUp(state: State, rpcUrl: string, name: string): Promise<Address | null> {
  try {
    state.lookup ??= import("./ens-lookup").then(({ createLookup }) => createLookup(rpcUrl));
    return await (await state.lookup)(name);
  } catch (cause) {
    throw new Failure("ens_unavailable", { cause });
  }
}
