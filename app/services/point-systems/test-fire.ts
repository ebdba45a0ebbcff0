import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { creditByHand } from "../ledger/operator-credit";
import { writeLedger } from "../ledger/write-ledger";
import { lockTrigger } from "./triggers";

/**
 * Credits a trigger's points to a wallet as a call of the API without points would, boosts included, and records the
 * operator who tested it.
 * @param token the token of the form, which credits once
 * @throws {Failure} `not_found`, `trigger_inactive`, `wallet_blacklisted`, `points_limit_reached`,
 *   `form_already_sent`
 */
export async function testFireTrigger(
  { actor, pointSystemId }: Editor,
  key: string,
  address: Address,
  token = createEventId(),
): Promise<{ points: number }> {
  return writeLedger(pointSystemId, async (tx) => {
    const { isActive, ...trigger } = await lockTrigger(tx, pointSystemId, key);
    if (!isActive) throw new Failure("trigger_inactive");
    const { points, isNew } = await creditByHand(tx, pointSystemId, {
      id: token,
      address,
      points: trigger.points,
      isBoosted: true,
      event: key,
      operatorId: actor.operatorId,
      note: "Test fire",
    });
    if (!isNew) return { points };
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "trigger.test",
      subject: key,
      after: { address, points },
    });
    return { points };
  });
}
