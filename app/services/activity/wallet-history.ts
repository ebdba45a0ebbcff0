import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { withDatabase } from "../../db/client";
import { imports } from "../../db/schema/imports";
import { pointEvents } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";
import { type AppliedBoost, toAppliedBoost } from "../../domain/point-systems/boost";
import { selectLabel } from "../access/colleagues";
import type { Member } from "../access/members";
import { type KeysetPage, readKeysetPage, type Slice } from "../runtime/keyset";
import { listedEvents } from "./listed-events";

/** An event of a wallet, with the details that only operators see. */
export interface HistoryEvent {
  readonly id: string;
  readonly points: number;
  /** The boost that made the points. */
  readonly boost: AppliedBoost | null;
  /** The trigger key; null for an event credited by an operator or by an import. */
  readonly event: string | null;
  readonly date: Date;
  /** The time that the caller gave. */
  readonly occurredAt: Date | null;
  /** The data that the caller added, as JSON: an object on its way to a browser loses a field `__proto__`. */
  readonly metadata: string | null;
  readonly note: string | null;
  /** The e-mail address of the operator who credited it. */
  readonly operator: string | null;
  /** The primary wallet, of the event that moved the wallet's points there. */
  readonly movedTo: Address | null;
  readonly import: { readonly id: string; readonly fileName: string | null } | null;
  /** The correction that voided it, if any. */
  readonly voided: {
    readonly date: Date;
    readonly note: string | null;
    readonly operator: string | null;
    readonly importId: string | null;
  } | null;
}

/** Lists a wallet's events, newest first. Voided events are included, each with its correction. */
export function listWalletHistory(
  member: Member,
  address: Address,
  cursor: Cursor | null,
): Promise<KeysetPage<HistoryEvent>> {
  return readKeysetPage(
    {
      date: pointEvents.createdAt,
      id: pointEvents.id,
      keyOf: (event) => event,
      select: (slice) => selectEvents(member, address, slice),
    },
    cursor,
  );
}

const correction = alias(pointEvents, "correction");

// A look-up for each row, whatever the planner's statistics say: docs/decisions/012.
const importFile = sql<string | null>`(
  select i.file_name from ${imports} i
  where i.point_system_id = ${pointEvents.pointSystemId} and i.id = ${pointEvents.importId} limit 1
)`;

async function selectEvents(
  member: Member,
  address: Address,
  { cursor, orderBy, limit }: Slice,
): Promise<HistoryEvent[]> {
  const { pointSystemId } = member;
  const rows = await withDatabase((db) => {
    const corrections = db
      .select({
        createdAt: correction.createdAt,
        note: correction.note,
        operatorId: correction.operatorId,
        importId: correction.importId,
      })
      .from(correction)
      .where(and(eq(correction.pointSystemId, pointSystemId), eq(correction.voids, pointEvents.id)))
      .limit(1)
      .as("corrections");
    return db
      .select({
        id: pointEvents.id,
        points: pointEvents.points,
        basePoints: pointEvents.basePoints,
        boostFactor: pointEvents.boostFactor,
        event: pointEvents.event,
        date: pointEvents.createdAt,
        occurredAt: pointEvents.occurredAt,
        metadata: pointEvents.metadata,
        note: pointEvents.note,
        operator: selectLabel(member, pointEvents.operatorId),
        movedTo:
          sql<Address | null>`case when ${pointEvents.movedEvents} < 0 then ${pointEvents.namedAddress} end`.mapWith(
            pointEvents.namedAddress,
          ),
        importId: pointEvents.importId,
        importFile,
        voidedAt: corrections.createdAt,
        voidNote: corrections.note,
        voidOperator: selectLabel(member, corrections.operatorId),
        voidImportId: corrections.importId,
      })
      .from(listedEvents({ pointSystemId, address, cursor, rowsMax: limit }))
      .leftJoinLateral(corrections, sql`true`)
      .orderBy(...orderBy)
      .limit(limit);
  });
  return rows.map((row) => ({
    id: row.id,
    points: row.points,
    boost: toAppliedBoost(row.basePoints, row.boostFactor),
    event: row.event,
    date: row.date,
    occurredAt: row.occurredAt,
    metadata: row.metadata && JSON.stringify(row.metadata),
    note: row.note,
    operator: row.operator,
    movedTo: row.movedTo,
    import: row.importId === null ? null : { id: row.importId, fileName: row.importFile },
    // The second event of a move stands where a correction would.
    voided:
      row.movedTo === null && row.voidedAt
        ? {
            date: row.voidedAt,
            note: row.voidNote,
            operator: row.voidOperator,
            importId: row.voidImportId,
          }
        : null,
  }));
}
