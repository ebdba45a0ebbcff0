/**
 * Describes an error for the person at the console. Of a failed statement it is the database's own message: the
 * statement's text says nothing of the reason, and its parameters may be secret.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && "query" in error ? error.cause.message : error.message;
}
