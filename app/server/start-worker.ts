import { openEns } from "../chain/ens/ens";
import { openChains } from "../chain/rpc/chains";
import type { DatabaseAddress } from "../db/client";
import { openMigratedDatabase } from "../db/open";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../domain/deadline";
import type { Env } from "../env";
import { setIdempotencyDays } from "../services/ledger/idempotency-records";
import { openScore } from "../services/scores/settings";
import { startClaimIndexer } from "../worker/claim-indexer";
import { JOBS } from "../worker/jobs";
import { startQueue } from "../worker/queue";
import { type Job, startWorker } from "../worker/worker";
import { createErrorLog, type LogError } from "./error-log";
import { createLogger } from "./logger";

/**
 * Starts the background work of a process that has opened the database.
 * @param more jobs of this process only
 * @returns stops the work: it lets running work end, or hands it over
 */
export function startBackgroundWork(
  logError: LogError,
  more: readonly Job[],
  isWorker: boolean,
): () => Promise<void> {
  const onFailure = (job: string, error: unknown) => logError({ job }, error, "job failed");
  const worker = startWorker(isWorker ? [...more, ...JOBS] : more, onFailure);
  const queue = isWorker ? startQueue(onFailure) : null;
  const indexer = isWorker ? startClaimIndexer(onFailure) : null;
  return async () => {
    await Promise.all([worker.stop(), queue?.stop(), indexer?.stop()]);
  };
}

/**
 * Starts only the background work, without a server.
 * @param preparedAddress the address of the database, when another process holds it
 * @returns stops it again
 * @throws {Error} with a message for people when the database fails
 */
export async function startWorkerProcess(
  env: Env,
  preparedAddress?: DatabaseAddress,
): Promise<() => Promise<void>> {
  const log = createLogger(env.LOG_LEVEL);
  const closeDatabase = await openMigratedDatabase({
    preparedAddress,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    connectionsMax: env.DATABASE_CONNECTIONS_MAX,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    deadlineMs: DATABASE_DEADLINE_MS,
    log: (message) => log.logger.info({ component: "database" }, message),
  });
  openChains(env);
  openEns({ rpcUrls: env.RPC_URL_1 ?? [] });
  openScore(env);
  setIdempotencyDays(env.IDEMPOTENCY_DAYS);
  const stop = startBackgroundWork(createErrorLog(log.logger), [], true);
  return async () => {
    await stop();
    await closeDatabase();
    log.logger.info("stopped");
    log.flush();
  };
}
