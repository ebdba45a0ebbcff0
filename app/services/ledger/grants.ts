import type { Address } from "../../domain/address";
import { createEventId } from "../../domain/ledger/event-id";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";
import { creditByHand } from "./operator-credit";
import { writeLedger } from "./write-ledger";

/** Points that an operator credits. */
export interface Grant {
  readonly address: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  /** The reason; operators see it, the API does not return it. */
  readonly note: string | null;
  /** The token of the form, which grants once; a new one when left out. */
  readonly token?: string;
}

/**
 * Credits an operator's grant: an event without a trigger key.
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`, `form_already_sent`
 */
export function grantPoints(
  { actor, pointSystemId }: Member<"owner" | "editor">,
  { address, points, note, token = createEventId() }: Grant,
): Promise<void> {
  return writeLedger(pointSystemId, async (tx) => {
    const { operatorId } = actor;
    const credit = { id: token, address, points, event: null, operatorId, note };
    const { isNew } = await creditByHand(tx, pointSystemId, credit);
    if (!isNew) return;
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "wallet.grant",
      subject: address,
      after: { points, ...(note !== null && { note }) },
    });
  });
}
