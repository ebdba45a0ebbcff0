import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putBatchLoad, putTriggerLoad } from "../trigger-load";
import { checkCredits, prepareOurs, preparePlain, toPlainEnv, waitForStatistics } from "../world";

/**
 * Measures credits/s beside an empty endpoint, beside one transaction for each call, and beside a
 * plain service.
 */
export function measureCredits(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const ours = await cluster.createDatabase("ours");
    const plain = await cluster.createDatabase("plain");
    await prepareOurs(ours);
    await preparePlain(plain);
    const env = { DATABASE_URL: formatDatabaseUrl(ours) };
    const frontDoor = await startServer(defer, { command: [SERVERS.ours], env });
    // One process does the background work of a database, as in an installation.
    const beside = { ...env, WORKER: "off" };
    const unlogged = await startServer(defer, {
      command: [SERVERS.ours],
      env: { ...beside, REQUEST_LOG: "off" },
    });
    const router = await startServer(defer, { command: [SERVERS.ours, "router"], env: beside });
    const plainService = await startServer(defer, {
      command: [SERVERS.plain],
      env: toPlainEnv(plain),
    });

    const settle = () => waitForStatistics(ours);
    const answered = { none: 0, ours: 0, plain: 0 };
    const load =
      (
        connections: number,
        url: string,
        database: keyof typeof answered,
        mayRefuse = false,
      ): Contender =>
      async (seconds) => {
        const result = await putTriggerLoad({ url, connections, seconds, mayRefuse });
        answered[database] += result.requests;
        return result;
      };
    const many = await measureInRounds(
      {
        credits: load(256, `${frontDoor.url}/trigger`, "ours"),
        empty: load(256, `${frontDoor.url}/api/sdk/activity`, "none"),
        // This load is so slow that some calls may meet their deadline.
        router: load(256, `${router.url}/trigger`, "ours", true),
        plain: load(256, `${plainService.url}/trigger`, "plain"),
      },
      { rounds: 3, seconds: 5, warmUpSeconds: 2, settle },
    );
    const logs = await measureInRounds(
      {
        credits: load(256, `${frontDoor.url}/trigger`, "ours"),
        unlogged: load(256, `${unlogged.url}/trigger`, "ours"),
      },
      { rounds: 5, seconds: 6, warmUpSeconds: 2, settle },
    );
    const besidePlain = (connections: number) =>
      measureInRounds(
        {
          credits: load(connections, `${frontDoor.url}/trigger`, "ours"),
          plain: load(connections, `${plainService.url}/trigger`, "plain"),
        },
        { rounds: 5, seconds: 4, warmUpSeconds: 1, settle },
      );
    const some = await besidePlain(64);
    const few = await besidePlain(8);
    const batch: Contender = async (seconds) => {
      const url = `${frontDoor.url}/trigger/batch`;
      const result = await putBatchLoad({ url, connections: 4, seconds, itemsACall: 500 });
      answered.ours += result.requests;
      return result;
    };
    const bulk = await measureInRounds(
      {
        batch,
        credits: load(256, `${frontDoor.url}/trigger`, "ours"),
        plain: load(256, `${plainService.url}/trigger`, "plain"),
      },
      { rounds: 3, seconds: 5, warmUpSeconds: 2, settle },
    );
    await checkCredits(ours, answered.ours);
    await checkCredits(plain, answered.plain);

    return [
      createRow("credits, 256 connections", many.loads.credits.perSecond, "1/s"),
      createRow("credits, 256 connections, p99", many.loads.credits.p99Ms, "ms"),
      createRow("empty endpoint, 256 connections", many.loads.empty.perSecond, "1/s"),
      createRow(
        "router and a transaction a call, 256 connections",
        many.loads.router.perSecond,
        "1/s",
      ),
      createRow("plain service's credits, 256 connections", many.loads.plain.perSecond, "1/s"),
      createRow("credits to empty endpoint", many.compare("credits", "empty"), "ratio", 0.4),
      createRow(
        "credits to router and a transaction a call",
        many.compare("credits", "router"),
        "ratio",
        8,
      ),
      createRow("credits to plain service", many.compare("credits", "plain"), "ratio", 4),
      createRow(
        "credits with the request log to without, 256 connections",
        logs.compare("credits", "unlogged"),
        "ratio",
        0.97,
      ),
      createRow("credits, 64 connections", some.loads.credits.perSecond, "1/s"),
      createRow("plain service's credits, 64 connections", some.loads.plain.perSecond, "1/s"),
      createRow(
        "credits to plain service, 64 connections",
        some.compare("credits", "plain"),
        "ratio",
      ),
      createRow("credits, 8 connections", few.loads.credits.perSecond, "1/s"),
      createRow("plain service's credits, 8 connections", few.loads.plain.perSecond, "1/s"),
      createRow(
        "credits to plain service, 8 connections",
        few.compare("credits", "plain"),
        "ratio",
        2,
      ),
      createRow("credits in batches of 500, 4 connections", bulk.loads.batch.perSecond, "1/s"),
      createRow("credits in batches, p99 of a call", bulk.loads.batch.p99Ms, "ms"),
      createRow(
        "credits in batches to plain service's single ones",
        bulk.compare("batch", "plain"),
        "ratio",
        10,
      ),
      createRow(
        "credits in batches to single ones, 256 connections",
        bulk.compare("batch", "credits"),
        "ratio",
        4,
      ),
    ];
  });
}
