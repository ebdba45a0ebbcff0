import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRankedDatabase, measureRankTime } from "../ranked-world";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { prepareOurs, WORLD } from "../world";
import { measureBoardEnd } from "./board-end";

const WALLETS = 1_000_000;
const RANKS = 5_000;
const ROUNDS = 4;

/**
 * Measures what a weekly board and a season cost a credit, and a trigger's cap, a rank on a season of a million wallets,
 * and credits while such a season ends.
 */
export function measureBoards(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const [plain, boards, capped] = [
      await cluster.createDatabase("plain"),
      await cluster.createDatabase("boards"),
      await cluster.createDatabase("capped"),
    ];
    for (const location of [plain, boards, capped]) await prepareOurs(location);
    await addBoards(boards);
    await capTrigger(capped);
    const load = async (location: DatabaseLocation): Promise<Contender> => {
      const env = { DATABASE_URL: formatDatabaseUrl(location) };
      const { url } = await startServer(defer, { command: [SERVERS.production], env });
      return (seconds) => putTriggerLoad({ url: `${url}/trigger`, connections: 256, seconds });
    };
    const { loads, compare } = await measureInRounds(
      { plain: await load(plain), boards: await load(boards), capped: await load(capped) },
      { rounds: 6, seconds: 5, warmUpSeconds: 3 },
    );
    const ranked = await createRankedDatabase(cluster, WALLETS);
    const seasonId = await addSeason(ranked);
    const micros = { allTime: Number.NaN, season: Number.NaN };
    // In turns, and the least of each: other work of the machine only adds.
    for (let round = 0; round < ROUNDS; round += 1) {
      const allTime = await measureRankTime(ranked, RANKS);
      const season = await measureRankTime(ranked, RANKS, false, seasonId);
      micros.allTime = Math.min(allTime, micros.allTime || allTime);
      micros.season = Math.min(season, micros.season || season);
    }
    return [
      createRow("credits without boards", loads.plain.perSecond, "1/s"),
      createRow("credits with a weekly board and a season open", loads.boards.perSecond, "1/s"),
      createRow("credits with boards to without", compare("boards", "plain"), "ratio", 0.75),
      createRow("credits of a capped trigger", loads.capped.perSecond, "1/s"),
      createRow(
        "credits of a capped trigger to without a cap",
        compare("capped", "plain"),
        "ratio",
        0.75,
      ),
      createRow("rank on a season in SQL, 1,000,000, p50", micros.season, "us"),
      createRow(
        "all-time rank to rank on a season",
        micros.allTime / micros.season,
        "ratio",
        0.667,
      ),
      ...(await measureBoardEnd(ranked, seasonId)),
    ];
  });
}

/** Gives the trigger a cap a day that no wallet reaches. */
async function capTrigger(location: DatabaseLocation): Promise<void> {
  const sql = connect(location);
  try {
    await sql`
      update triggers set cap_id = gen_random_uuid(), cap_times = 1000, cap_window = 'daily', cap_time_zone = 'UTC'
      where point_system_id = ${WORLD.pointSystemId}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Opens a weekly board and a season. */
async function addBoards(location: DatabaseLocation): Promise<void> {
  const sql = connect(location);
  try {
    await sql`
      with added as (
        insert into boards (point_system_id, kind, slug, name, time_zone, is_public)
        values (${WORLD.pointSystemId}, 'weekly', null, 'Week', 'UTC', true),
          (${WORLD.pointSystemId}, 'season', 'season', 'Season', 'UTC', true)
        returning id, kind
      ),
      opened as (
        insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place)
        select ${WORLD.pointSystemId}, a.id, coalesce(w.label, ''), coalesce(w.starts_at, now() - interval '1 day'),
          coalesce(w.ends_at, now() + interval '90 days'), row_number() over ()
        from added a left join lateral find_window(a.kind, 'UTC', now()) w on a.kind = 'weekly'
        returning id
      )
      insert into rank_cursors (point_system_id, seq) select id, 0 from opened`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Adds a season on which every wallet has its points.
 * @returns the id of its window
 */
async function addSeason(location: DatabaseLocation): Promise<string> {
  await addBoards(location);
  const sql = connect(location);
  try {
    const [window] = await sql<{ id: string }[]>`
      select id from board_windows where label = '' and point_system_id = ${WORLD.pointSystemId}`;
    const id = window?.id ?? "";
    await sql`
      insert into wallets (point_system_id, address, points, events)
      select ${id}, address, points, events from wallets where point_system_id = ${WORLD.pointSystemId}`;
    await sql`select rebuild_ranks(${id})`;
    // The function that measures draws as many wallets as the totals say.
    await sql`
      insert into point_system_totals (point_system_id, wallets) values (${id}, ${WALLETS})`;
    await sql`vacuum analyze`;
    return id;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
