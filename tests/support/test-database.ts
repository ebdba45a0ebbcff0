import postgres, { type Sql } from "postgres";
import type { ClusterAddress } from "./cluster-address";

/** The address of this test file's database. */
export let database: ClusterAddress & { readonly database: string };
/** The connections of another instance to it. */
export let other: Sql;

/**
 * Takes the database of the test file that begins. Files of one worker share their modules, and each
 * has a database of its own.
 * @returns closes the other instance's connections
 */
export function takeDatabase(address: typeof database): () => Promise<void> {
  database = address;
  other = postgres({ ...database, max: 2, onnotice: () => {} });
  const taken = other;
  return () => taken.end({ timeout: 1 });
}
