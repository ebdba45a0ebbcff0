import { setTimeout as sleep } from "node:timers/promises";
import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { createWallets, prepareOurs, WORLD } from "../world";
import { putLoad } from "../wrk";

const CONNECTIONS = 64;
const WALLETS = 10_000;
/** A point system beside the measured one. */
const NEIGHBOUR = {
  pointSystemId: "b0000000-0000-4000-8000-000000000002",
  token: "rw_b0000000000000000000000000000002",
};
const NEIGHBOUR_CALLERS = 32;

/**
 * Measures credits and reads of a point system while the ledger of another one is locked and called,
 * beside the same load without that neighbour.
 */
export function measureIsolation(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const database = await cluster.createDatabase("ours");
    await prepareOurs(database, createWallets(WALLETS), [
      { id: NEIGHBOUR.pointSystemId, key: NEIGHBOUR.token },
    ]);
    const env = { DATABASE_URL: formatDatabaseUrl(database) };
    const { url } = await startServer(defer, { command: [SERVERS.production], env });

    const credits: Contender = (seconds) =>
      putTriggerLoad({ url: `${url}/trigger`, connections: CONNECTIONS, seconds });
    const reads: Contender = (seconds) =>
      putLoad({
        script: "get.lua",
        url: `${url}/wallet?pointSystemId=${WORLD.pointSystemId}`,
        connections: CONNECTIONS,
        seconds,
        scriptArguments: [String(WALLETS), WORLD.token],
      });
    const besideLocked =
      (measured: Contender): Contender =>
      async (seconds) => {
        const sql = connect(database);
        let isOver = false;
        const lock = sql.begin(async (tx) => {
          await tx`select lock_ledger(${NEIGHBOUR.pointSystemId}::uuid)`;
          while (!isOver) await sleep(50);
        });
        const callers = Array.from({ length: NEIGHBOUR_CALLERS }, async () => {
          while (!isOver) await callNeighbour(url);
        });
        try {
          return await measured(seconds);
        } finally {
          isOver = true;
          await Promise.all([lock, ...callers]);
          await sql.end({ timeout: 1 });
        }
      };
    const { loads, compare } = await measureInRounds(
      {
        credits,
        creditsBesideLocked: besideLocked(credits),
        reads,
        readsBesideLocked: besideLocked(reads),
      },
      { rounds: 3, seconds: 5, warmUpSeconds: 2 },
    );
    return [
      createRow("credits, 64 connections", loads.credits.perSecond, "1/s"),
      createRow(
        "credits beside a locked point system to alone",
        compare("creditsBesideLocked", "credits"),
        "ratio",
        0.8,
      ),
      createRow(
        "reads beside a locked point system to alone",
        compare("readsBesideLocked", "reads"),
        "ratio",
        0.8,
      ),
    ];
  });
}

/** Fires the locked point system's trigger and waits for the answer, whatever it is. */
async function callNeighbour(url: string): Promise<void> {
  const response = await fetch(`${url}/trigger`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${NEIGHBOUR.token}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({
      triggerKey: WORLD.triggerKey,
      walletAddress: `0x${"ab".repeat(20)}`,
      pointSystemId: NEIGHBOUR.pointSystemId,
    }),
  });
  await response.arrayBuffer();
}
