import { desc, eq } from "drizzle-orm";
import { type Executor, withDatabase } from "../../db/client";
import { accountNotices } from "../../db/schema/factors";
import type { AccountNoticeKind } from "../../domain/accounts/notice";
import type { Actor } from "../access/members";

/** A notice that its operator has not dismissed. */
export interface AccountNotice {
  readonly id: number;
  readonly kind: AccountNoticeKind;
  readonly detail: string;
  readonly ip: string;
  readonly createdAt: Date;
}

/** The most notices that are shown; all are dismissed together. */
const NOTICES_SHOWN_MAX = 10;

/**
 * Tells an operator of something that happened to their account, within the transaction in which it
 * happens.
 * @param ip the address that it came from; empty for the command line
 */
export async function addNotice(
  executor: Executor,
  operatorId: string,
  notice: { kind: AccountNoticeKind; detail: string; ip: string },
): Promise<void> {
  await executor.insert(accountNotices).values({ operatorId, ...notice });
}

/** Lists an operator's notices, newest first. */
export function listNotices(operatorId: string): Promise<AccountNotice[]> {
  return withDatabase((db) =>
    db
      .select({
        id: accountNotices.id,
        kind: accountNotices.kind,
        detail: accountNotices.detail,
        ip: accountNotices.ip,
        createdAt: accountNotices.createdAt,
      })
      .from(accountNotices)
      .where(eq(accountNotices.operatorId, operatorId))
      .orderBy(desc(accountNotices.id))
      .limit(NOTICES_SHOWN_MAX),
  );
}

/** Dismisses an operator's notices. The audit log keeps what they were about. */
export async function dismissNotices({ operatorId }: Actor): Promise<void> {
  await withDatabase((db) =>
    db.delete(accountNotices).where(eq(accountNotices.operatorId, operatorId)),
  );
}
