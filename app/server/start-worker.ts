import type { Logger } from "pino";
import { openEns } from "../chain/ens/ens";
import { openChains } from "../chain/rpc/chains";
import { ownsLedger } from "../db/ledger-owner";
import { chooseDatabase, countKeptConnections, openMigratedDatabase } from "../db/open";
import type { DatabaseAddress } from "../db/pool";
import { createReadiness } from "../db/readiness";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../domain/deadline";
import { Failure } from "../domain/failure";
import type { Env } from "../env";
import { sealPlainSecrets } from "../services/accounts/authenticator";
import { setKeyEnvironment } from "../services/keyring/keyring";
import { isKeyBesideData } from "../services/keyring/keys";
import { learnDatabaseClock } from "../services/ledger/database-clock";
import { setIdempotencyDays } from "../services/ledger/idempotency-records";
import { listEnsEndpoints, openScore } from "../services/scores/settings";
import { openWebhooks } from "../services/webhooks/call";
import { refuseWrongKeys } from "../services/webhooks/key-check";
import { startFollowing } from "../worker/follow-chains";
import { JOBS } from "../worker/jobs";
import { startQueue } from "../worker/queue";
import { startWebhookDeliveries } from "../worker/webhook-deliveries";
import { type Job, startWorker } from "../worker/worker";
import { createErrorLog, type LogError } from "./error-log";
import { createLogger } from "./logger";
import { listenForMetrics } from "./metrics";

/** The parts that a serving process and a worker have in common. */
export interface OpenedProcess {
  readonly logger: Logger;
  readonly logError: LogError;
  readonly readiness: ReturnType<typeof createReadiness>;
  /**
   * Waits until the database can serve, opens the keys of secrets, and says what lies unprotected.
   * @throws {Error} with a message for people
   */
  readonly begin: () => Promise<void>;
  /** Closes the database, and writes what is left of the log. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the database with this code's schema, and all that the environment names.
 * @param preparedAddress the address of the database, when another process holds it
 * @throws {Error} with a message for people when the database fails
 */
export async function openProcess(
  env: Env,
  preparedAddress: DatabaseAddress | undefined,
): Promise<OpenedProcess> {
  const { logger, flush } = createLogger(env.LOG_LEVEL);
  const closeDatabase = await openMigratedDatabase({
    preparedAddress,
    ...chooseDatabase(env),
    isServing: true,
    connectionsMax: env.DATABASE_CONNECTIONS_MAX,
    connections: countKeptConnections(1, env),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    deadlineMs: DATABASE_DEADLINE_MS,
    log: (message) => logger.info({ component: "database" }, message),
  });
  openChains(env);
  openWebhooks(env);
  openEns({ rpcUrls: listEnsEndpoints(env) });
  openScore(env);
  setIdempotencyDays(env.IDEMPOTENCY_DAYS);
  const logError = createErrorLog(logger);
  const readiness = createReadiness((error) => logError({}, error, "not ready"));
  return {
    logger,
    logError,
    readiness,
    async begin() {
      await readiness.begin();
      await learnDatabaseClock();
      await openSecrets(env, logger);
      await warnOfOwner(env, logger);
    },
    async close() {
      await readiness.close();
      await closeDatabase();
      logger.info("stopped");
      await flush();
    },
  };
}

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
  const follower = isWorker ? startFollowing(onFailure) : null;
  const webhooks = isWorker ? startWebhookDeliveries(onFailure) : null;
  return async () => {
    await Promise.all([worker.stop(), queue?.stop(), follower?.stop(), webhooks?.stop()]);
  };
}

/**
 * Opens the keys of secrets, encrypts those of earlier versions, and says what lies unprotected.
 * @throws {Error} with a message for people when the keys are not those of the database
 */
async function openSecrets(env: Env, logger: Logger): Promise<void> {
  const warnOfKey = () =>
    logger.warn(
      "the key of gift cards, webhooks and authenticator apps lies in DATA_DIR, so a backup of DATA_DIR holds both the secrets and their key: move the text of DATA_DIR/gift-card-keys into GIFT_CARD_KEYS, delete the file and restart",
    );
  setKeyEnvironment(env, warnOfKey);
  await refuseWrongKeys(env);
  try {
    const sealed = await sealPlainSecrets();
    if (sealed > 0) logger.info({ sealed }, "encrypted the secrets of authenticator apps");
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "gift_card_keys_missing") throw error;
    logger.warn(
      "secrets of authenticator apps lie in the database as they are: set GIFT_CARD_KEYS and restart",
    );
  }
  if (isKeyBesideData(env)) warnOfKey();
}

/** Warns when a stolen connection of the service could rewrite the ledger and the audit log. */
async function warnOfOwner(env: Env, logger: Logger): Promise<void> {
  if (env.DATABASE_URL === undefined || !(await ownsLedger())) return;
  logger.warn(
    "the role of DATABASE_URL owns the ledger's tables and could rewrite them: give the service a role of its own (docs/operating.md, Two roles)",
  );
}

export interface RunningWorker {
  /** Ends the work, or hands it over. */
  readonly stop: () => Promise<void>;
  /** Resolves when another version has taken the database over. */
  readonly outdated: Promise<void>;
}

/**
 * Starts only the background work, without a server.
 * @param place the number of this process among those of one service
 * @param preparedAddress the address of the database, when another process holds it
 * @throws {Error} with a message for people when the database fails
 */
export async function startWorkerProcess(
  env: Env,
  preparedAddress?: DatabaseAddress,
  place = 0,
): Promise<RunningWorker> {
  const { logError, readiness, begin, close } = await openProcess(env, preparedAddress);
  let isStopping = false;
  const isReady = async () => !isStopping && readiness.isReady();
  let closeMetrics = async () => {};
  try {
    await begin();
    closeMetrics = await listenForMetrics(env, place, isReady);
  } catch (error) {
    await close();
    throw error;
  }
  const stopWork = startBackgroundWork(logError, [], true);
  return {
    outdated: readiness.outdated,
    async stop() {
      isStopping = true;
      await stopWork();
      await closeMetrics();
      await close();
    },
  };
}
