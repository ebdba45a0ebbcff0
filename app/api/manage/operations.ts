import type { ManagePath } from "../endpoints";
import { BOARD_OPERATIONS } from "./boards";
import { BOOST_OPERATIONS } from "./boosts";
import { CAMPAIGN_OPERATIONS } from "./campaigns";
import { IMPORT_OPERATIONS } from "./imports";
import { KEY_OPERATIONS } from "./keys";
import { LEDGER_OPERATIONS } from "./ledger";
import type { Operation } from "./operation";
import { POINT_SYSTEM_OPERATIONS } from "./point-systems";
import { PROGRESS_OPERATIONS } from "./progress";
import { SPEND_OPERATIONS } from "./spends";
import { STATISTICS_OPERATIONS } from "./statistics";
import { TRIGGER_OPERATIONS } from "./triggers";
import { WALLET_LINK_OPERATIONS } from "./wallet-links";
import { WEBHOOK_OPERATIONS } from "./webhooks";

/** The operations of the management API by their path after the prefix. */
export const OPERATIONS: Readonly<Record<ManagePath, Operation>> = {
  ...POINT_SYSTEM_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...TRIGGER_OPERATIONS,
  ...BOARD_OPERATIONS,
  ...PROGRESS_OPERATIONS,
  ...BOOST_OPERATIONS,
  ...KEY_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...SPEND_OPERATIONS,
  ...WALLET_LINK_OPERATIONS,
  ...IMPORT_OPERATIONS,
  ...CAMPAIGN_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
};

/** Makes a record of all operations by their path. */
export function mapOperations<Value>(
  make: (operation: Operation) => Value,
): Readonly<Record<ManagePath, Value>> {
  const entries = Object.entries(OPERATIONS).map(([path, operation]) => [path, make(operation)]);
  return Object.fromEntries(entries) as Record<ManagePath, Value>;
}
