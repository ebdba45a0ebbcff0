import type { Sql } from "postgres";
import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { WORLD } from "../world";

/** The time from the beginning of a load to the season's end. */
const RUNS_MS = 1_000;
/** The longest time after the load in which the ranks must become final. */
const SETTLES_MS = 30_000;

/**
 * Measures credits while a season ends whose window has many wallets, beside credits while it runs. The next season
 * begins at that moment, so that one of the two counts each credit.
 * @param windowId the id of the season's window
 */
export function measureBoardEnd(location: DatabaseLocation, windowId: string): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const sql = connect(location);
    defer(() => sql.end({ timeout: 1 }));
    const nextId = await addNextSeason(sql);
    const env = { DATABASE_URL: formatDatabaseUrl(location) };
    const { url } = await startServer(defer, { command: [SERVERS.production], env });
    const running: Contender = async (seconds) => {
      await reopen(sql, windowId, nextId);
      return putTriggerLoad({ url: `${url}/trigger`, connections: 256, seconds });
    };
    const settledAfterMs: number[] = [];
    const ending: Contender = async (seconds) => {
      await reopen(sql, windowId, nextId);
      const endsAt = new Date(Date.now() + RUNS_MS);
      await sql`
        update board_windows set starts_at = case id when ${nextId} then ${endsAt} else starts_at end,
          ends_at = case id when ${windowId} then ${endsAt} else ends_at end
        where id in (${windowId}, ${nextId})`;
      const settled = waitUntilSettled(sql, windowId, Date.now() + seconds * 1_000 + SETTLES_MS);
      const load = await putTriggerLoad({ url: `${url}/trigger`, connections: 256, seconds });
      settledAfterMs.push((await settled) - endsAt.getTime());
      return load;
    };
    const { loads, compare } = await measureInRounds(
      { running, ending },
      { rounds: 5, seconds: 6, warmUpSeconds: 3 },
    );
    return [
      createRow("credits while a season of 1,000,000 runs", loads.running.perSecond, "1/s"),
      createRow("credits while it ends, and the next one begins", loads.ending.perSecond, "1/s"),
      createRow(
        "credits while it ends to while it runs",
        compare("ending", "running"),
        "ratio",
        0.9,
      ),
      createRow("from its end to final ranks, at most", Math.max(...settledAfterMs), "ms"),
    ];
  });
}

/** Adds a season that begins after the others. */
async function addNextSeason(sql: Sql): Promise<string> {
  const [window] = await sql<{ id: string }[]>`
    with added as (
      insert into boards (point_system_id, kind, slug, name, time_zone, is_public)
      values (${WORLD.pointSystemId}, 'season', 'next', 'Next', 'UTC', true) returning id
    ),
    opened as (
      insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place)
      select ${WORLD.pointSystemId}, a.id, '', now() + interval '90 days', now() + interval '180 days', 3
      from added a returning id
    )
    insert into rank_cursors (point_system_id, seq) select id, 0 from opened
    returning point_system_id as id`;
  return window?.id ?? "";
}

/** Opens a season again that has ended, and empties the one after it. Credits in between stay uncounted. */
async function reopen(sql: Sql, windowId: string, nextId: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select lock_ledger(${WORLD.pointSystemId})`;
    await tx`
      update board_windows set ends_at = now() + interval '90 days', closed_seq = null, is_settled = false
      where id = ${windowId}`;
    await tx`update board_windows set starts_at = now() + interval '90 days' where id = ${nextId}`;
    await tx`delete from wallets where point_system_id = ${nextId}`;
    await tx`delete from rank_counts where point_system_id = ${nextId}`;
    await tx`
      update rank_cursors set seq = (select last_value from point_events_seq_seq), key_max = -1, wallets_from_band = '{}'
      where point_system_id = ${nextId}`;
  });
}

/**
 * Waits until the ranks of a window are final.
 * @returns the time
 */
async function waitUntilSettled(sql: Sql, windowId: string, deadlineMs: number): Promise<number> {
  for (;;) {
    const [window] = await sql<{ isSettled: boolean }[]>`
      select is_settled as "isSettled" from board_windows where id = ${windowId}`;
    if (window?.isSettled) return Date.now();
    if (Date.now() > deadlineMs) throw new Error("The ended season's ranks did not become final");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
