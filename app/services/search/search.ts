import { and, asc, between, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { wallets } from "../../db/schema/ledger";
import { triggers } from "../../db/schema/point-systems";
import { type Address, getAddressRange } from "../../domain/address";
import type { Member } from "../access/members";

/** The most results of each kind: wallets and triggers. */
const FOUND_MAX = 5;

export interface SearchResult {
  readonly wallets: readonly { readonly address: Address; readonly points: number }[];
  readonly triggers: readonly { readonly key: string; readonly name: string }[];
}

/**
 * Searches a point system by a few typed characters. Text of `0x` and at least three digits finds
 * the wallets whose address begins with it; other text finds the triggers that have it in their
 * name or key.
 */
export async function searchPointSystem(member: Member, text: string): Promise<SearchResult> {
  const range = getAddressRange(text);
  return {
    wallets: range ? await findWallets(member, range) : [],
    triggers: range ? [] : await findTriggers(member, text),
  };
}

/**
 * Finds wallets by a range of the primary key: five entries are read, however many wallets there
 * are.
 */
function findWallets({ pointSystemId }: Member, [first, last]: readonly [Address, Address]) {
  return withDatabase((db) =>
    db
      .select({ address: wallets.address, points: wallets.points })
      .from(wallets)
      .where(and(eq(wallets.pointSystemId, pointSystemId), between(wallets.address, first, last)))
      .orderBy(asc(wallets.address))
      .limit(FOUND_MAX),
  );
}

function findTriggers({ pointSystemId }: Member, text: string) {
  const isIn = (column: typeof triggers.name | typeof triggers.key) =>
    sql`position(lower(${text}) in lower(${column})) > 0`;
  return withDatabase((db) =>
    db
      .select({ key: triggers.key, name: triggers.name })
      .from(triggers)
      .where(
        and(
          eq(triggers.pointSystemId, pointSystemId),
          sql`(${isIn(triggers.name)} or ${isIn(triggers.key)})`,
        ),
      )
      .orderBy(asc(triggers.name), asc(triggers.key))
      .limit(FOUND_MAX),
  );
}
