import type { ManagePath } from "../endpoints";
import { BOARD_OPERATIONS } from "./boards";
import { CAMPAIGN_OPERATIONS } from "./campaigns";
import { IMPORT_OPERATIONS } from "./imports";
import { KEY_OPERATIONS } from "./keys";
import { LEDGER_OPERATIONS } from "./ledger";
import type { Operation } from "./operation";
import { POINT_SYSTEM_OPERATIONS } from "./point-systems";
import { TRIGGER_OPERATIONS } from "./triggers";
import { WEBHOOK_OPERATIONS } from "./webhooks";

/** The operations of the management API by their path after the prefix. */
export const OPERATIONS: Readonly<Record<ManagePath, Operation>> = {
  ...POINT_SYSTEM_OPERATIONS,
  ...TRIGGER_OPERATIONS,
  ...BOARD_OPERATIONS,
  ...KEY_OPERATIONS,
  ...LEDGER_OPERATIONS,
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
