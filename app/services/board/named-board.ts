import { sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import type { BoardReference } from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";

/** The window of a named board at one moment. */
interface NamedBoard {
  /** Null when no wallet has points in it. */
  readonly windowId: string | null;
  /** The number of wallets on it. */
  readonly total: number;
}

const selectNamedBoard = replicatedQuery("reads", (db) =>
  db
    .select({
      windowId: sql<string | null>`f.window_id`,
      isReady: sql<boolean>`f.is_ready`,
      total: sql`f.participants`.mapWith(Number),
    })
    .from(
      sql`size_named_board(
        ${sql.placeholder("pointSystemId")}::uuid, ${sql.placeholder("key")}::text, ${sql.placeholder("label")}::text
      ) f`,
    )
    .prepare("select_named_board"),
);

/**
 * Finds the window of a board that a call names.
 * @throws {Failure} `board_not_found`; `service_unavailable` while a new board is being counted
 */
export async function findNamedBoard(
  pointSystemId: string,
  reference: BoardReference,
): Promise<NamedBoard> {
  const [found] = await selectNamedBoard({ pointSystemId, ...reference });
  return requireReady(found);
}

/**
 * Returns a board that was found and can be read.
 * @throws {Failure} as `findNamedBoard`
 */
export function requireReady<Found extends { readonly isReady: boolean }>(
  found: Found | undefined,
): Found {
  if (!found) throw new Failure("board_not_found");
  if (!found.isReady) throw new Failure("service_unavailable", { isOfData: true });
  return found;
}
