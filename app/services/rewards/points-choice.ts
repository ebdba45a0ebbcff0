import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { type Executor, withDatabase } from "../../db/client";
import { rewards } from "../../db/schema/rewards";
import { parseBoardReference, toBoardName } from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";
import { BALANCE, type CountedPoints } from "../../domain/rewards/counted-points";
import type { RewardKind } from "../../domain/rewards/reward";
import { parseUuid } from "../../domain/uuid";
import { type Board, listBoards, listBoardWindows } from "../board/board-list";
import { readDatabaseClock, writeLedger } from "../ledger/write-ledger";

const ALL_POINTS: CountedPoints = { pointsBoard: null, pointsWindowId: null, familyId: null };

/** The newest windows of a board, and the newest campaigns, that the form offers. A family is offered by its newest. */
const CHOICES_MAX = 12;

/**
 * Makes terms from an operator's choice of points. A board need not have ended before the publication. Families are
 * of campaigns alone: a gift card counts no points that could be taken off.
 * @param choice empty for all points, `BALANCE`, a board's name in calls with its window, or the id of a campaign whose
 *   family goes on
 * @throws {Failure} `board_not_found`, `points_campaign_unknown`
 */
export async function settlePoints(
  pointSystemId: string,
  kind: RewardKind,
  choice: string,
): Promise<CountedPoints> {
  if (choice === "") return ALL_POINTS;
  if (choice === BALANCE) return { ...ALL_POINTS, pointsBoard: BALANCE };
  const id = parseUuid(choice);
  if (!id) return settleBoard(pointSystemId, choice);
  if (kind === "giftcard") throw new Failure("points_campaign_unknown", { field: "pointsCounted" });
  return settleFamily(pointSystemId, id);
}

/**
 * Checks that the board of a reward has ended, and closes its window when nobody wrote since its end: from then on
 * its points do not change.
 * @throws {Failure} `board_not_found` when it was deleted, `points_board_open`
 */
export async function requireFrozenBoard(
  pointSystemId: string,
  { pointsWindowId }: Pick<CountedPoints, "pointsWindowId">,
): Promise<void> {
  if (pointsWindowId === null) return;
  const found = await withDatabase((db) => findWindow(db, pointSystemId, pointsWindowId));
  if (!found) throw new Failure("board_not_found");
  if (found.isClosed) return;
  if (!found.isOver) throw new Failure("points_board_open");
  await writeLedger(pointSystemId, async (tx) => {
    const at = await readDatabaseClock(tx);
    await tx.execute(
      sql`select from open_board_windows(${pointSystemId}::uuid, ${at.toISOString()}::timestamptz)`,
    );
    const after = await findWindow(tx, pointSystemId, pointsWindowId);
    if (!after?.isClosed) throw new Failure("points_board_open");
  });
}

/** Points that a reward can count, as a form offers them. */
interface PointsChoice {
  /** The choice, as `settlePoints` reads it. */
  readonly value: string;
  readonly label: string;
}

/**
 * Lists the points that a reward can count.
 * @param chosen the reward's own choice, which is listed in any case
 */
export async function listPointsChoices(
  pointSystemId: string,
  kind: RewardKind,
  chosen: string,
): Promise<PointsChoice[]> {
  const [boards, families] = await Promise.all([
    listBoards(pointSystemId),
    kind === "token" ? listFamilies(pointSystemId) : [],
  ]);
  const ofBoards = await Promise.all(boards.map((board) => listBoardChoices(pointSystemId, board)));
  const choices = [
    { value: "", label: "All points" },
    { value: BALANCE, label: "Balance: points that are not spent" },
    ...families,
    ...ofBoards.flat(),
  ];
  const isListed = choices.some(({ value }) => value === chosen);
  return isListed ? choices : [...choices, { value: chosen, label: chosen }];
}

async function listFamilies(pointSystemId: string): Promise<PointsChoice[]> {
  const published = await withDatabase((db) =>
    db
      .select({
        familyId: selectFamilyId(),
        name: rewards.campaignName,
        campaignId: rewards.campaignId,
      })
      .from(rewards)
      .where(isOfFamily(pointSystemId))
      .orderBy(desc(rewards.publishedAt), desc(rewards.id))
      .limit(CHOICES_MAX),
  );
  const isNewest = ({ familyId }: { familyId: string }, i: number) =>
    published.findIndex((one) => one.familyId === familyId) === i;
  return published.filter(isNewest).map(({ familyId, name, campaignId }) => ({
    value: familyId,
    label: `New since ${name} (${campaignId})`,
  }));
}

async function listBoardChoices(pointSystemId: string, { id, kind, slug, name, state }: Board) {
  const board = toBoardName(kind, slug);
  if (kind === "season") {
    return [{ value: board, label: `${name}${state === "ended" ? "" : " (has not ended)"}` }];
  }
  const windows = await listBoardWindows(pointSystemId, id);
  return windows
    .filter(({ endsAt }) => endsAt.getTime() <= Date.now())
    .slice(0, CHOICES_MAX)
    .map(({ label }) => ({ value: `${board}:${label}`, label: `${name}, ${label}` }));
}

async function settleBoard(pointSystemId: string, choice: string): Promise<CountedPoints> {
  const reference = parseBoardReference(choice);
  if (reference === null || reference === "all-time") {
    throw new Failure("board_not_found", { field: "pointsCounted" });
  }
  const [found] = await withDatabase((db) =>
    db.execute<{ windowId: string | null }>(sql`
      select window_id as "windowId"
      from find_board_window(${pointSystemId}::uuid, ${reference.key}::text, ${reference.label}::text)`),
  );
  // A period in which nobody earned points has no window.
  if (!found?.windowId) throw new Failure("board_not_found", { field: "pointsCounted" });
  return { ...ALL_POINTS, pointsBoard: choice, pointsWindowId: found.windowId };
}

/**
 * A family is named by its first campaign. A campaign whose amounts came from a file counted no points, and one by
 * balance counted none that can be taken off all points.
 */
async function settleFamily(pointSystemId: string, id: string): Promise<CountedPoints> {
  const [found] = await withDatabase((db) =>
    db
      .select({ familyId: selectFamilyId() })
      .from(rewards)
      .where(and(isOfFamily(pointSystemId), eq(rewards.id, id))),
  );
  if (!found) throw new Failure("points_campaign_unknown", { field: "pointsCounted" });
  return { ...ALL_POINTS, familyId: found.familyId };
}

const selectFamilyId = () => sql<string>`coalesce(${rewards.familyId}, ${rewards.id})`;

/** Matches the published campaigns whose splits are made here. */
function isOfFamily(pointSystemId: string) {
  return and(
    eq(rewards.pointSystemId, pointSystemId),
    eq(rewards.kind, "token"),
    inArray(rewards.status, ["active", "distributed"]),
    sql`${rewards.pointsBoard} is distinct from ${BALANCE}`,
    sql`(${rewards.status} = 'active' or exists (
      select 1 from allocations a
      where a.point_system_id = ${rewards.pointSystemId} and a.reward_id = ${rewards.id}
    ))`,
  );
}

async function findWindow(executor: Executor, pointSystemId: string, windowId: string) {
  const [row] = await executor.execute<{ isClosed: boolean; isOver: boolean }>(sql`
    select w.closed_seq is not null as "isClosed",
      w.is_ready and w.ends_at <= clock_timestamp() as "isOver"
    from board_windows w
    join boards b on b.point_system_id = w.point_system_id and b.id = w.board_id
    where w.point_system_id = ${pointSystemId}::uuid and w.id = ${windowId}::uuid`);
  return row;
}
