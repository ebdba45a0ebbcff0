import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { activityFold } from "../../../app/services/activity/activity-fold";
import { ranksFold } from "../../../app/services/board/rank-counts";
import { programFold } from "../../../app/services/insights/program-fold";
import { statisticsFold } from "../../../app/services/insights/statistics-fold";
import { JOBS } from "../../../app/worker/jobs";
import { startQueue } from "../../../app/worker/queue";
import { startWorker } from "../../../app/worker/worker";
import { scene } from "../../support/scene";
import { other } from "../../support/test-database";

const IDLE_SECONDS = 6;

interface Work {
  readonly transactions: number;
  readonly blocks: number;
  readonly rowsScanned: number;
  readonly indexScans: number;
}

/** Reads the work of this file's database so far. */
async function readWork(): Promise<Work> {
  const [row] = await other<Work[]>`
    select d.xact_commit::int as transactions, (d.blks_hit + d.blks_read)::int as blocks,
      t.rows as "rowsScanned", t.scans as "indexScans"
    from pg_stat_database d, (
      select sum(seq_tup_read)::int as rows, sum(idx_scan)::int as scans from pg_stat_user_tables
    ) t
    where d.datname = current_database()`;
  return row as Work;
}

/** Measures an idle worker's work in a second. */
async function measureIdle(): Promise<Work> {
  const failures: unknown[] = [];
  const onFailure = (...failure: unknown[]) => failures.push(failure);
  const workers = [startWorker(JOBS, onFailure), startQueue(onFailure)];
  // The first runs of all jobs, and two looks at the ledgers. An idle session reports what it did
  // after 10 s.
  await sleep(12_000);
  const before = await readWork();
  await sleep(IDLE_SECONDS * 1_000);
  const after = await readWork();
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(failures).toEqual([]);
  const rate = (key: keyof Work) => (after[key] - before[key]) / IDLE_SECONDS;
  return {
    transactions: rate("transactions"),
    blocks: rate("blocks"),
    rowsScanned: rate("rowsScanned"),
    indexScans: rate("indexScans"),
  };
}

async function settle(): Promise<void> {
  while (await ranksFold.run());
  while (await statisticsFold.run());
  while (await activityFold.run());
  while (await programFold.run());
}

test("an idle worker's work depends neither on the number of events nor on that of point systems", async () => {
  const { pointSystemId } = await scene();
  const addEvents = (events: number) => other`
    insert into point_events (point_system_id, id, address, points, balance, event, created_at)
    select ${pointSystemId}, gen_random_uuid(), decode(lpad(upper(to_hex(n)), 40, '0'), 'hex'), 1, n,
      'login', now()
    from generate_series(1, ${events}::int) n`;
  const passEvents = () =>
    other.unsafe(`
      with newest as (select max(seq) as seq from point_events),
      ranks as (update rank_cursors set seq = (select seq from newest))
      update statistics_cursors
      set seq = (select seq from newest), activity_seq = (select seq from newest),
        program_seq = (select seq from newest)`);
  await addEvents(1_000);
  await settle();
  const few = await measureIdle();

  await addEvents(199_000);
  await other.unsafe(`
    with added as (
      insert into point_systems (operator_id, name, short_id)
      select operator_id, 'Many', lpad(upper(to_hex(n)), 4, '0') from point_systems,
        generate_series(4096, 4294) n returning id
    ), ranked as (
      insert into rank_cursors (point_system_id, seq) select id, 0 from added
    )
    insert into statistics_cursors (point_system_id) select id from added`);
  await passEvents();
  await settle();
  const many = await measureIdle();

  console.log("idle, a second:", { few, many });
  // The statement that finds due work, each job's few others, and the statement that measures.
  expect(many.transactions).toBeLessThan(2);
  for (const key of ["transactions", "blocks", "rowsScanned", "indexScans"] as const) {
    expect(many[key]).toBeLessThanOrEqual(1.5 * few[key] + 2);
  }
}, 90_000);
