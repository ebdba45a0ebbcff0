import type { Address } from "../domain/address";
import { creditByHand } from "./hand-credits";
import { writeLedger } from "./ledger-transaction";

/**
 * Credits points by hand: an event without a trigger key.
 * @param points whole points, 1 to `CREDIT_POINTS_MAX`
 * @throws {Failure} `wallet_blacklisted`, `points_limit_reached`
 */
export function grantPoints(
  pointSystemId: string,
  address: Address,
  points: number,
): Promise<void> {
  return writeLedger(pointSystemId, async (tx) => {
    await creditByHand(tx, pointSystemId, { address, points, event: null });
  });
}
