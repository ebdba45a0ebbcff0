import { eq, sql } from "drizzle-orm";
import { hotQuery, withDatabase } from "../../db/client";
import { ensAnswers } from "../../db/schema/ens";
import { removeExpired } from "../runtime/remove-old-rows";

/** The stored answer to a question. */
export interface EnsEntry {
  /** The answer. Null means that there is none, if `resolvedAtMs` is set. */
  readonly answer: string | null;
  readonly resolvedAtMs: number | null;
  readonly failedAtMs: number | null;
}

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

/** Finds the answer that any instance has stored. Null when there is none. */
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

/** Stores an answer, unless another instance has stored a later one. */
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

/** Stores a failure; the known answer stays. */
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
        // A later answer of another instance is kept.
        setWhere: sql`${ensAnswers.resolvedAt} is null or ${ensAnswers.resolvedAt} <= excluded.failed_at`,
      }),
  );
}

/**
 * Removes a batch of expired answers.
 * @returns whether there is more to remove
 */
export const removeOldEnsAnswers = (): Promise<boolean> => removeExpired(ensAnswers, "keep_until");
