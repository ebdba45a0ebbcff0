import { inTransaction, type Transaction } from "../../db/client";
import { Failure, type FailureCode } from "../../domain/failure";
import { type AuditRecord, recordAudit } from "./audit-log";
import type { Editor } from "./members";
import { noteWrittenLedger } from "./own-writes";

/** The rules of a step: the lock of its row, and the statuses in which it is allowed. */
export interface StepRules<Row extends { readonly status: string }> {
  /** Reads the row and locks it until the transaction ends; undefined when there is none. */
  readonly lock: (tx: Transaction) => Promise<Row | undefined>;
  readonly allowed: readonly Row["status"][];
  /** The failure of a row in any other status. */
  readonly movedOn: FailureCode;
  /** Runs the transaction; through the pool when left out. */
  readonly transact?: <Value>(work: (tx: Transaction) => Promise<Value>) => Promise<Value>;
}

/** Writes an entry of the member to the audit log, within the transaction. */
export type Audit = (record: Omit<AuditRecord, "pointSystemId">) => Promise<void>;

/** Writes the changes of a step, and its entry in the audit log. */
export type Step<Row, Answer> = (tx: Transaction, row: Row, audit: Audit) => Promise<Answer>;

/**
 * Runs a step that moves a row from status to status, in one transaction that has locked the row. Replicas without it
 * answer no reads of the point system afterwards.
 * @throws {Failure} `not_found`, `movedOn`, and the failures of the step
 */
export function takeStep<Row extends { readonly status: string }, Answer>(
  { actor, pointSystemId }: Editor,
  { lock, allowed, movedOn, transact = inTransaction }: StepRules<Row>,
  step: Step<Row, Answer>,
): Promise<Answer> {
  return transact(async (tx) => {
    const row = await lock(tx);
    if (!row) throw new Failure("not_found");
    if (!allowed.includes(row.status)) throw new Failure(movedOn);
    return step(tx, row, (record) => recordAudit(tx, actor, { pointSystemId, ...record }));
  }).finally(() => noteWrittenLedger(pointSystemId));
}
