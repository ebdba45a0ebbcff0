import { and, eq, isNull, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { withDatabase } from "../../db/client";
import { spends } from "../../db/schema/spending";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";
import { selectLabel } from "../access/colleagues";
import type { Member } from "../access/members";
import {
  type KeysetList,
  type KeysetPage,
  readKeysetPage,
  readWholeList,
  type Slice,
} from "../runtime/keyset";

/** A spend, with its reversal. */
export interface ListedSpend {
  readonly id: string;
  readonly address: Address;
  readonly points: number;
  /** The wallet's balance after it. */
  readonly balance: number;
  readonly reason: string;
  readonly date: Date;
  readonly reversed: {
    readonly date: Date;
    /** The operator who reversed it; null when a call did. */
    readonly operator: string | null;
    readonly note: string | null;
  } | null;
}

/**
 * Lists spends, newest first.
 * @param address the wallet that spent; null for all wallets
 */
export function listSpends(
  member: Member,
  address: Address | null,
  cursor: Cursor | null,
): Promise<KeysetPage<ListedSpend>> {
  return readKeysetPage(toList(member, address), cursor);
}

/** Reads all spends, newest first. */
export function readAllSpends(
  member: Member,
  address: Address | null,
): AsyncGenerator<ListedSpend> {
  return readWholeList(toList(member, address));
}

const toList = (member: Member, address: Address | null): KeysetList<ListedSpend> => ({
  date: spends.createdAt,
  id: spends.id,
  keyOf: (spend) => spend,
  select: (slice) => selectSpends(member, address, slice),
});

const reversal = alias(spends, "reversal");

async function selectSpends(
  member: Member,
  address: Address | null,
  { where, orderBy, limit }: { where: SQL | undefined } & Pick<Slice, "orderBy" | "limit">,
): Promise<ListedSpend[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: spends.id,
        address: spends.address,
        points: spends.points,
        balance: spends.balance,
        reason: spends.reason,
        date: spends.createdAt,
        reversedAt: reversal.createdAt,
        note: reversal.reason,
        operator: selectLabel(member, reversal.operatorId),
      })
      .from(spends)
      .leftJoin(
        reversal,
        and(eq(reversal.pointSystemId, spends.pointSystemId), eq(reversal.reverses, spends.id)),
      )
      .where(
        and(
          eq(spends.pointSystemId, member.pointSystemId),
          address ? eq(spends.address, address) : undefined,
          isNull(spends.reverses),
          isNull(spends.movedWith),
          where,
        ),
      )
      .orderBy(...orderBy)
      .limit(limit),
  );
  return rows.map(({ reversedAt, note, operator, balance, reason, ...spend }) => ({
    ...spend,
    balance: balance ?? 0,
    reason: reason ?? "",
    reversed: reversedAt && { date: reversedAt, operator, note },
  }));
}
