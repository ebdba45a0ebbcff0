import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../../app/db/client";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { setKeyEnvironment } from "../../app/services/keyring/keyring";
import { enqueueJob } from "../../app/services/runtime/job-queue";
import { createWebhook } from "../../app/services/webhooks/endpoints";
import { startProxy } from "../endurance/proxy";
import { createRandom } from "../endurance/random";
import { type ClaimScene, startClaimScene } from "../support/chain/claims";
import { findProgram } from "../support/ensure-program";
import { findFreePort } from "../support/free-port";
import { createGiftCardKey } from "../support/gift-cards";
import { findOwner } from "../support/operators";
import {
  createDataDir,
  fireOverHttp,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";
import { startReceiver, type WebhookReceiver } from "../support/webhook-receiver";
import { backUpLate } from "./late-backup";
import { blockRankCounts } from "./locks";
import { type Prometheus, RULES, startPrometheus } from "./prometheus";
import { createProvoker, keepDoing, SETTLES_WITHIN_MS } from "./provoke";

// The rules are evaluated by a real Prometheus that scrapes a real server and a real worker. Each situation is really
// made; only the age of what waits for an hour is written.

const isTested = findProgram("prometheus", "prometheus", "whether alerts fire");
const { pointSystemId, token } = SMALL_FIXTURE;
const MS_MAX = 300_000;
const QUICK = { minuteSeconds: 2, everySeconds: 2 };
/** For situations in which an answer takes as long as its caller waits for the database. */
const PATIENT = { minuteSeconds: 4, everySeconds: 6 };

const cleanUps: (() => Promise<unknown>)[] = [];
let dataDir = "";
let sql: Sql;
let server: ServerProcess;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let databaseTarget: Parameters<typeof proxy.lead>[0];
let scene: ClaimScene;
let campaign: Awaited<ReturnType<ClaimScene["launch"]>>;
let receiver: WebhookReceiver;
let prometheus: Prometheus;
let env: Record<string, string>;
let worker: { readonly kill: () => Promise<void> } | null = null;
const workerPorts = { metrics: 0 };
/** The alerts that a test has seen firing. */
const fired = new Set<string>();

beforeAll(async () => {
  if (isTested) await startWorld();
}, MS_MAX);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}, MS_MAX);

async function startWorld(): Promise<void> {
  dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, SMALL_FIXTURE.file);
  cleanUps.push(await openMigratedDatabase(commandDatabase({ DATA_DIR: dataDir }, () => {})));
  const cluster = await holdEmbeddedCluster({ dataDir });
  cleanUps.push(() => cluster.release());
  sql = postgres({ ...cluster.connection, max: 12, onnotice: () => {} });
  cleanUps.push(() => sql.end({ timeout: 1 }));
  const { host, port, username, password, database } = cluster.connection;
  databaseTarget = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { port };
  proxy = await startProxy(createRandom(1), databaseTarget);
  cleanUps.push(() => proxy.close());
  receiver = await startReceiver();
  cleanUps.push(() => receiver.close());
  scene = await startClaimScene();
  cleanUps.push(() => scene.stop());
  campaign = await scene.launch();
  await scene.mine(3);

  const url = new URL(`postgres://127.0.0.1:${proxy.port}/${database}`);
  url.username = username;
  url.password = password;
  const key = createGiftCardKey("k1");
  setKeyEnvironment({ GIFT_CARD_KEYS: key, DATA_DIR: dataDir });
  const metricsPort = await findFreePort();
  workerPorts.metrics = await findFreePort();
  env = {
    ...{ DATABASE: "url", DATABASE_URL: url.href, DATABASE_TLS: "off" },
    ...{ DATA_DIR: dataDir, GIFT_CARD_KEYS: key, WEBHOOK_ALLOW_PRIVATE: "127.0.0.1" },
    ...{ LOG_LEVEL: "fatal", RPC_URL_1: "off", RPC_URL_84532: scene.proxy.url },
    METRICS_PORT: String(metricsPort),
  };
  server = await startServerProcess({ dataDir, env: { ...env, WORKER: "off" } });
  cleanUps.push(() => server.end("SIGTERM"));
  await startWorker();
  cleanUps.push(async () => worker?.kill());
  await watch(QUICK);
  cleanUps.push(() => prometheus.stop());
}

/** Starts Prometheus with a pace. */
async function watch(pace: typeof QUICK): Promise<void> {
  const ports = [Number(env.METRICS_PORT), workerPorts.metrics];
  prometheus = await startPrometheus(dataDir, ports, pace);
}

async function startWorker(): Promise<void> {
  const child = spawn(process.execPath, ["build/server/worker-main.js"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env, METRICS_PORT: String(workerPorts.metrics) },
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  await waitUntil(() => output.includes("The worker is ready"), 60_000);
  worker = {
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

const listFiring = async () => new Set((await prometheus.listFiring()).map(({ name }) => name));

const provoke = createProvoker(listFiring, fired);

async function countClaims(): Promise<number> {
  const [row] = await sql`
    select count(*)::int as count from distributions where claimed_at is not null`;
  return row?.count;
}

let wallets = 0;
const nextWallet = () => {
  wallets += 1;
  return `0x${wallets.toString(16).padStart(40, "0")}`;
};
const credit = () => fireOverHttp(server.url, nextWallet());

async function creditMany(count: number): Promise<void> {
  const items = Array.from({ length: count }, () => ({
    triggerKey: "daily_login",
    walletAddress: nextWallet(),
  }));
  const response = await fetch(`${server.url}/trigger/batch`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ pointSystemId, items }),
  });
  const { results } = (await response.json()) as { results: { success: boolean }[] };
  expect(results.filter(({ success }) => success)).toHaveLength(count);
}

const isPresent = test.skipIf(!isTested);

isPresent("the rules and the configuration are valid, and a healthy service is quiet", async () => {
  await promisify(execFile)("promtool", ["check", "rules", RULES]);
  await creditMany(100);
  expect(await listFiring()).toEqual(new Set());
});

isPresent(
  "without a worker, its absence, ranks, jobs and webhooks that are behind are said, until one runs",
  async () => {
    const behind = ["PointsRanksBehind", "PointsJobsWait", "PointsWebhooksBehind"];
    await provoke(["PointsDown", ...behind], async () => {
      await worker?.kill();
      const id = randomUUID();
      const eventTypes = ["points.credited"] as const;
      const owner = await findOwner(pointSystemId);
      await createWebhook(owner, { id, url: new URL(receiver.url), eventTypes: [...eventTypes] });
      for (let n = 0; n < 10; n += 1) await creditMany(1_000);
      await inTransaction((tx) =>
        enqueueJob(tx, "rebuild-ranks", { pointSystemId }, pointSystemId),
      );
      await sql`update jobs set run_after = run_after - interval '6 minutes'`;
      await sql.begin(async (tx) => {
        // Events never change: not even a superuser's statement does so without this.
        await tx`set local session_replication_role = replica`;
        await tx`
          update point_events set created_at = created_at - interval '2 hours'
          where point_system_id = ${pointSystemId}
            and seq = (select min(seq) from point_events where seq > (
              select ledger_seq from webhook_endpoints where id = ${id}))`;
      });
      return startWorker;
    });
    expect(receiver.received.length).toBeGreaterThan(0);
  },
  MS_MAX,
);

isPresent(
  "locks, counts that fail, slow statements, failing receivers and chains that differ or are away are said",
  async () => {
    await Promise.all([
      provoke(["PointsLockWaits", "PointsFoldFailing"], () => blockRankCounts(sql, 6)),
      provoke(["PointsCreditsWait"], async () => {
        await sql.unsafe(`
          create function be_slow() returns trigger language plpgsql
            as 'begin perform pg_sleep(1.4); return null; end';
          create trigger be_slow after insert on point_events execute function be_slow()`);
        const stop = keepDoing(200, credit);
        return async () => {
          await sql`drop function be_slow cascade`;
          await stop();
        };
      }),
      provoke(
        ["PointsClaimsDiffer"],
        async () => {
          scene.proxy.faults = { hidesLogs: "all" };
          for (const holder of campaign.holders.slice(0, 3)) await campaign.claim(holder);
          await scene.mine(4);
          return async () => {};
        },
        { hasEnd: false },
      ),
    ]);
    await Promise.all([
      provoke(["PointsChainAway"], async () => {
        scene.proxy.faults = { down: true };
        await campaign.claim(campaign.holders[3] as (typeof campaign.holders)[number]);
        await scene.mine(4);
        return async () => {
          // Another endpoint, as the runbook says: the chain is read from where it was left.
          env.RPC_URL_84532 = scene.anvil.rpcUrl;
          await worker?.kill();
          await startWorker();
          await waitUntil(async () => (await countClaims()) === 4, SETTLES_WITHIN_MS);
        };
      }),
      provoke(["PointsEventLoopLate"], async () =>
        // A process that gets a third of a core, in pieces.
        keepDoing(1, async () => {
          server.process.kill("SIGSTOP");
          await sleep(800);
          server.process.kill("SIGCONT");
          await sleep(400);
        }),
      ),
    ]);
  },
  MS_MAX,
);

async function restart(more: Record<string, string>): Promise<void> {
  await server.end("SIGTERM");
  server = await startServerProcess({ dataDir, env: { ...env, WORKER: "off", ...more } });
}

isPresent(
  "a replica that answers no reads is said",
  async () => {
    await provoke(["PointsReplicaLeftOut"], async () => {
      await restart({ DATABASE_REPLICA_URLS: "postgres://127.0.0.1:9/points" });
      return () => restart({});
    });
  },
  MS_MAX,
);

isPresent(
  "a backup that is old, and a log that cannot be copied into it, are said until a backup succeeds",
  async () => {
    // Its own backups are those of the embedded database, which the server then finds by its folder.
    await restart({ DATABASE: "embedded", DATABASE_URL: "" });
    try {
      await provoke(["PointsBackupOld", "PointsBackupLogFails"], () => backUpLate(dataDir, sql));
    } finally {
      await restart({});
    }
  },
  MS_MAX,
);

isPresent(
  "a database that is gone, and calls that fail, are said",
  async () => {
    await prometheus.stop();
    await watch(PATIENT);
    await provoke(["PointsDatabaseAway", "PointsErrors"], async () => {
      const stop = keepDoing(2, credit);
      proxy.lead({ port: 9 });
      await proxy.fail("cut", 0);
      return async () => {
        proxy.lead(databaseTarget);
        await stop();
      };
    });
  },
  MS_MAX,
);

isPresent("each rule has fired here", async () => {
  const rules = await fs.readFile(RULES, "utf8");
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  expect([...fired].sort()).toEqual(names.sort());
});
