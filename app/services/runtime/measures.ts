import { sql } from "drizzle-orm";
import { readBackupAge } from "../../db/backups";
import { listPoolUse, withDatabase } from "../../db/client";
import { listReplicas } from "../../db/replicas";
import { metrics, setGauge } from "../../process/metrics";

interface Measures {
  readonly isLogFailing: boolean;
  readonly lockWaits: number;
  readonly jobs: readonly { queue: string; state: string; count: number; age: number }[];
  readonly deliveries: number;
  readonly lagSeconds: number;
  readonly failing: number;
}

/** Measures this process's pools, and in the database: backups, waiting locks, jobs and webhooks. */
export async function measureRuntime(): Promise<void> {
  const pools = listPoolUse();
  const labelled = (key: "pending" | "connections") =>
    pools.map((pool) => ({ labels: { pool: pool.name }, value: pool[key] }));
  setGauge(metrics.poolPending, labelled("pending"));
  setGauge(metrics.poolSize, labelled("connections"));
  measureReplicas();
  const age = readBackupAge();
  setGauge(metrics.backupAge, age === null ? [] : [{ labels: { kind: "base" }, value: age }]);
  const [row] = await withDatabase((db) =>
    db.execute<Measures & Record<string, unknown>>(sql`
      select (
        select count(*)::int from pg_locks l join pg_database d on d.oid = l.database
        where not l.granted and d.datname = current_database()
      ) as "lockWaits", (
        select last_failed_time > coalesce(last_archived_time, '-infinity') is true from pg_stat_archiver
      ) as "isLogFailing", (
        select coalesce(json_agg(j), '[]') from (
          select queue, state, count(*)::int as count, coalesce(extract(epoch from now() - min(run_after)
            filter (where state in ('waiting', 'retry') and run_after <= now())), 0)::float as age
          from jobs group by queue, state
        ) j
      ) as jobs, w.deliveries, w.lag::float as "lagSeconds", (
        select count(*)::int from webhook_endpoints where failing_since is not null and off_at is null
      ) as failing
      from (
        select coalesce(sum(d.count), 0)::int as deliveries,
          coalesce(extract(epoch from now() - min(least(d.oldest, v.created_at))), 0) as lag
        from webhook_endpoints e
        join point_systems p on p.id = e.point_system_id and p.deleted_at is null
        cross join lateral (
          select count(*) as count, min(created_at) as oldest from webhook_deliveries
          where point_system_id = e.point_system_id and endpoint_id = e.id and state = 'waiting'
        ) d
        -- Credits and voids become deliveries only when a worker takes them up.
        left join lateral (
          select created_at from point_events
          where point_system_id = e.point_system_id and seq > e.ledger_seq
            and e.event_types && array['points.credited', 'points.voided']
          order by point_system_id, seq limit 1
        ) v on true
        where e.off_at is null
      ) w`),
  );
  if (!row) return;
  setGauge(metrics.backupLogFailing, [{ value: Number(row.isLogFailing) }]);
  setGauge(metrics.lockWaits, [{ value: row.lockWaits }]);
  setGauge(
    metrics.jobs,
    row.jobs.map(({ queue, state, count }) => ({ labels: { queue, state }, value: count })),
  );
  const ages = new Map<string, number>();
  for (const { queue, age } of row.jobs) ages.set(queue, Math.max(age, ages.get(queue) ?? 0));
  setGauge(
    metrics.jobAge,
    [...ages].map(([queue, value]) => ({ labels: { queue }, value })),
  );
  setGauge(metrics.webhooksWaiting, [{ value: row.deliveries }]);
  setGauge(metrics.webhookLag, [{ value: row.lagSeconds }]);
  setGauge(metrics.webhooksFailing, [{ value: row.failing }]);
}

function measureReplicas(): void {
  const replicas = listReplicas().map(({ host, ...rest }) => ({
    ...rest,
    labels: { replica: host },
  }));
  setGauge(
    metrics.replicaServing,
    replicas.map(({ labels, state }) => ({
      labels: { ...labels, state },
      value: state === "serving" ? 1 : 0,
    })),
  );
  setGauge(
    metrics.replicaLagSeconds,
    replicas.flatMap(({ labels, lagSeconds }) =>
      lagSeconds === null ? [] : { labels, value: lagSeconds },
    ),
  );
  setGauge(
    metrics.replicaLagBytes,
    replicas.map(({ labels, lagBytes }) => ({ labels, value: lagBytes })),
  );
}
