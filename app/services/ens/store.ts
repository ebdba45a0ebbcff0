import { eq, sql } from "drizzle-orm";
import { hotQuery, withDatabase } from "../../db/client";
import { ensAnswers } from "../../db/schema/ens";

/** What is known of a question. */
export interface EnsEntry {
  /** Null: there is none, if `resolvedAt` says that this was found out. */
  readonly answer: string | null;
  readonly resolvedAtMs: number | null;
  readonly failedAtMs: number | null;
}

/** Rows a statement: well within its deadline. */
const REMOVED_ROWS = 2_000;

const selectEntry = hotQuery((db) =>
  db
    .select({
      answer: ensAnswers.answer,
      resolvedAt: ensAnswers.resolvedAt,
      failedAt: ensAnswers.failedAt,
    })
    .from(ensAnswers)
    .where(eq(ensAnswers.question, sql.placeholder("question")))
    .limit(1)
    .prepare("find_ens_entry"),
);

/** What any instance found out. Null when nothing is kept. */
export async function findEnsEntry(question: string): Promise<EnsEntry | null> {
  const [row] = await selectEntry({ question });
  if (!row) return null;
  const { answer, resolvedAt, failedAt } = row;
  return {
    answer,
    resolvedAtMs: resolvedAt?.getTime() ?? null,
    failedAtMs: failedAt?.getTime() ?? null,
  };
}

/** Keeps an answer, unless another instance has had one later. */
export async function saveEnsAnswer(
  question: string,
  answer: string | null,
  times: { readonly resolvedAtMs: number; readonly keepUntilMs: number },
): Promise<void> {
  const row = {
    answer,
    resolvedAt: new Date(times.resolvedAtMs),
    failedAt: null,
    keepUntil: new Date(times.keepUntilMs),
  };
  await withDatabase((db) =>
    db
      .insert(ensAnswers)
      .values({ question, ...row })
      .onConflictDoUpdate({
        target: ensAnswers.question,
        set: row,
        setWhere: sql`${ensAnswers.resolvedAt} is null or ${ensAnswers.resolvedAt} <= excluded.resolved_at`,
      }),
  );
}

/** Notes a failure; what was known stays. */
export async function saveEnsFailure(
  question: string,
  times: { readonly failedAtMs: number; readonly keepUntilMs: number },
): Promise<void> {
  const failedAt = new Date(times.failedAtMs);
  const keepUntil = new Date(times.keepUntilMs);
  await withDatabase((db) =>
    db
      .insert(ensAnswers)
      .values({ question, failedAt, keepUntil })
      .onConflictDoUpdate({
        target: ensAnswers.question,
        set: {
          failedAt: sql`greatest(${ensAnswers.failedAt}, excluded.failed_at)`,
          keepUntil: sql`greatest(${ensAnswers.keepUntil}, excluded.keep_until)`,
        },
        // What another instance has found out since then is no failure.
        setWhere: sql`${ensAnswers.resolvedAt} is null or ${ensAnswers.resolvedAt} <= excluded.failed_at`,
      }),
  );
}

/**
 * Removes a batch of what is of no use any more.
 * @returns whether there is more to remove
 */
export async function removeOldEnsAnswers(): Promise<boolean> {
  const removed = await withDatabase((db) =>
    db.execute(sql`
      delete from ens_answers where ctid = any(array(
        select ctid from ens_answers where keep_until < now()
        order by keep_until limit ${REMOVED_ROWS} for update skip locked
      ))`),
  );
  return removed.count === REMOVED_ROWS;
}
