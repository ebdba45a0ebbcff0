import { and, asc, eq, or, type SQL, sql } from "drizzle-orm";
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
    where: or(eq(walletLinks.address, address), eq(walletLinks.primaryAddress, address)),
    orderBy: [asc(walletLinks.linkedAt), asc(walletLinks.address)],
  });
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
  { where, orderBy, limit }: Pick<Slice, "orderBy"> & { where: SQL | undefined; limit?: number },
): Promise<WalletLink[]> {
  return withDatabase((db) => {
    const links = db
      .select({
        address: walletLinks.address,
        primaryAddress: walletLinks.primaryAddress,
        linkedAt: walletLinks.linkedAt,
        operator: selectLabel(member, walletLinks.operatorId),
        isByHolder: sql<boolean>`${walletLinks.operatorId} is null`,
      })
      .from(walletLinks)
      .where(and(eq(walletLinks.pointSystemId, member.pointSystemId), where))
      .orderBy(...orderBy);
    return limit === undefined ? links : links.limit(limit);
  });
}
