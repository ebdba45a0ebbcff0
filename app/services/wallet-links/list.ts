import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBytea } from "../../db/bulk";
import { withDatabase } from "../../db/client";
import { walletLinks } from "../../db/schema/wallet-links";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";
import { selectLabel } from "../access/colleagues";
import type { Member } from "../access/members";
import type { WalletPair } from "../ledger/move";
import { type KeysetPage, readKeysetPage, type Slice } from "../runtime/keyset";

/** A linked wallet. */
export interface WalletLink extends WalletPair {
  readonly linkedAt: Date;
  /** The operator who linked it, or whose API key did; null when the account is gone, too. */
  readonly operator: string | null;
  /** Whether the holder signed with both wallets. */
  readonly isByHolder: boolean;
}

/** The columns of a link, also where they are read from `linksOf`: drizzle takes plain ones from its own tables only. */
export const linkFields = {
  address: sql<Address>`${walletLinks.address}`.mapWith(walletLinks.address),
  primaryAddress: sql<Address>`${walletLinks.primaryAddress}`.mapWith(walletLinks.primaryAddress),
  linkedAt: sql<Date>`${walletLinks.linkedAt}`.mapWith(walletLinks.linkedAt),
};

/** Lists the links of a point system, newest first. */
export function listWalletLinks(
  member: Member,
  cursor: Cursor | null,
): Promise<KeysetPage<WalletLink>> {
  return readKeysetPage(
    {
      date: walletLinks.linkedAt,
      id: walletLinks.address,
      toId: (id) => sql`${sql.param(id, walletLinks.address)}`,
      keyOf: ({ linkedAt, address }) => ({ date: linkedAt, id: address }),
      select: (slice) => selectLinks(member, slice),
    },
    cursor,
  );
}

/** Lists the links of one holder's wallet, the oldest first: its own, or those to it when it is a primary one. */
export function listLinksOf(member: Member, address: Address): Promise<WalletLink[]> {
  return selectLinks(member, {
    from: linksOf(member.pointSystemId, [address]),
    orderBy: [asc(walletLinks.linkedAt), asc(walletLinks.address)],
  });
}

/** Builds the table of the links of wallets that are not linked to each other: their own, and those to them. */
export function linksOf(pointSystemId: string, wallets: readonly Address[]): SQL {
  const addresses = toArrayLiteral(wallets.map(toBytea));
  return sql`list_links_of(${pointSystemId}::uuid, ${addresses}::bytea[]) as ${walletLinks}`;
}

/** Checks whether any wallet of a point system is linked to another one. This is public; which ones are is not. */
export async function hasWalletLinks(pointSystemId: string): Promise<boolean> {
  const [link] = await withDatabase((db) =>
    db
      .select({ address: walletLinks.address })
      .from(walletLinks)
      .where(eq(walletLinks.pointSystemId, pointSystemId))
      .limit(1),
  );
  return link !== undefined;
}

function selectLinks(
  member: Member,
  {
    from = sql`${walletLinks}`,
    where,
    orderBy,
    limit,
  }: Pick<Slice, "orderBy"> & { from?: SQL; where?: SQL | undefined; limit?: number },
): Promise<WalletLink[]> {
  return withDatabase((db) => {
    const links = db
      .select({
        ...linkFields,
        operator: selectLabel(member, walletLinks.operatorId),
        isByHolder: sql<boolean>`${walletLinks.operatorId} is null`,
      })
      .from(from)
      .where(and(eq(walletLinks.pointSystemId, member.pointSystemId), where))
      .orderBy(...orderBy);
    return limit === undefined ? links : links.limit(limit);
  });
}
