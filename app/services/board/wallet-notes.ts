import { and, count, desc, eq } from "drizzle-orm";
import { inTransaction, withDatabase } from "../../db/client";
import { walletNotes } from "../../db/schema/point-systems";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import { selectLabel } from "../access/colleagues";
import type { Editor, Member } from "../access/members";
import { lockPointSystem } from "../access/point-system-lock";

/** An operator's note on a wallet. */
export interface WalletNote {
  readonly id: string;
  readonly note: string;
  readonly date: Date;
  /** Null when the operator's account is gone. */
  readonly operator: string | null;
}

/** The most notes on a wallet: as many as its page shows at once. */
export const WALLET_NOTES_MAX = 50;

const isOf = (pointSystemId: string, address: Address) =>
  and(eq(walletNotes.pointSystemId, pointSystemId), eq(walletNotes.address, address));

/** Lists the notes on a wallet, newest first. */
export function listWalletNotes(member: Member, address: Address): Promise<WalletNote[]> {
  return withDatabase((db) =>
    db
      .select({
        id: walletNotes.id,
        note: walletNotes.note,
        date: walletNotes.createdAt,
        operator: selectLabel(member, walletNotes.operatorId),
      })
      .from(walletNotes)
      .where(isOf(member.pointSystemId, address))
      .orderBy(desc(walletNotes.createdAt), desc(walletNotes.id))
      .limit(WALLET_NOTES_MAX),
  );
}

/**
 * Adds a note to a wallet, whether it has points or not.
 * @param id the token of the form, which adds once
 * @throws {Failure} `too_many_notes`
 */
export async function addWalletNote(
  { actor, pointSystemId }: Editor,
  { address, note, id }: { address: Address; note: string; id: string },
): Promise<void> {
  await inTransaction(async (tx) => {
    // Additions in a point system are serialized, so that the limit holds.
    await lockPointSystem(tx, pointSystemId);
    const [existing] = await tx
      .select({ total: count() })
      .from(walletNotes)
      .where(isOf(pointSystemId, address));
    const added = await tx
      .insert(walletNotes)
      .values({ pointSystemId, address, id, note, operatorId: actor.operatorId })
      .onConflictDoNothing()
      .returning({ id: walletNotes.id });
    if (added.length === 0) return;
    if ((existing?.total ?? 0) >= WALLET_NOTES_MAX) throw new Failure("too_many_notes");
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "wallet.note",
      subject: address,
      after: { note },
    });
  });
}

/**
 * Deletes a note. A note that is gone already changes nothing.
 * @returns whether it was there
 */
export async function deleteWalletNote(
  { actor, pointSystemId }: Editor,
  address: Address,
  id: string,
): Promise<boolean> {
  return inTransaction(async (tx) => {
    const [deleted] = await tx
      .delete(walletNotes)
      .where(and(isOf(pointSystemId, address), eq(walletNotes.id, id)))
      .returning({ note: walletNotes.note });
    if (!deleted) return false;
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "wallet.note_delete",
      subject: address,
      before: deleted,
    });
    return true;
  });
}
