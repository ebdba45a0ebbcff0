import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openEns } from "../chain/ens/ens";
import { openChains } from "../chain/rpc/chains";
import type { DatabaseAddress } from "../db/client";
import { openMigratedDatabase } from "../db/open";
import { createReadiness } from "../db/readiness";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../domain/deadline";
import type { Env } from "../env";
import { createSetUpToken } from "../services/accounts/set-up";
import { openGiftCards } from "../services/gift-cards/keyring";
import { closeLiveStreams } from "../services/insights/live-feed";
import { setIdempotencyDays } from "../services/ledger/idempotency-records";
import { openScore } from "../services/scores/settings";
import { SERVER_JOBS } from "../worker/jobs";
import { chooseGraceMs, type DrainHooks } from "./drain";
import { createErrorLog } from "./error-log";
import { isReadinessProbed } from "./health";
import { createHttpServer, type HttpServerOptions } from "./http-server";
import { createLogger } from "./logger";
import { getListeningOrigin } from "./same-origin";
import { startBackgroundWork } from "./start-worker";

export interface StartOptions
  extends Pick<HttpServerOptions, "build" | "reloadBuild" | "serveStatic" | "usesFrontDoor"> {
  readonly env: Env;
  readonly shared?: SharedStart | undefined;
}

/** The parts that the processes of one service have in common. */
export interface SharedStart extends Pick<DrainHooks, "endTurn" | "onClosed"> {
  /** The address of the database that the primary holds. */
  readonly address: DatabaseAddress;
  readonly makesSetUpLink: boolean;
  /** Checks whether every process serves. */
  readonly isComplete: () => boolean;
}

export interface RunningServer {
  readonly url: string;
  /**
   * The address of the page that creates the first operator; null when one exists. For the console
   * only.
   */
  readonly setUpUrl: string | null;
  /**
   * Reports itself as not ready, stops accepting requests, waits for open requests and jobs to end,
   * then stops the database.
   * @param graceMs the time in which it goes on accepting requests, if others have chosen it
   */
  readonly stop: (graceMs?: number) => Promise<void>;
}

/**
 * Starts the database, its schema and the HTTP server.
 * @throws {Error} with a message for people when the port is taken or the database fails;
 *   everything that was started is stopped again
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { env, shared } = options;
  const log = createLogger(env.LOG_LEVEL);
  const { logger, flush } = log;
  const closeDatabase = await openMigratedDatabase({
    preparedAddress: shared?.address,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    connectionsMax: env.DATABASE_CONNECTIONS_MAX,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    deadlineMs: DATABASE_DEADLINE_MS,
    log: (message) => logger.info({ component: "database" }, message),
  });
  openChains(env);
  openGiftCards(env);
  openEns({ rpcUrls: env.RPC_URL_1 ?? [] });
  openScore(env);
  setIdempotencyDays(env.IDEMPOTENCY_DAYS);
  const logError = createErrorLog(logger);
  const readiness = createReadiness((error) => logError({}, error, "not ready"));
  const { server, drain } = createHttpServer({
    ...options,
    logger,
    logError,
    isReady: async () => (shared?.isComplete() ?? true) && readiness.isReady(),
    appOrigin: env.APP_ORIGIN,
    isSignUpOpen: env.OPEN_SIGNUP,
    host: env.HOST,
    trustedProxies: env.TRUSTED_PROXIES,
    metricsToken: env.METRICS_TOKEN,
  });
  let setUpToken: string | null;
  try {
    setUpToken = shared?.makesSetUpLink === false ? null : await createSetUpToken();
    await listen(server, env);
  } catch (error) {
    await readiness.close();
    await closeDatabase();
    flush();
    throw error;
  }
  const url = getListeningOrigin(env.HOST, (server.address() as AddressInfo).port);
  logger.info({ url }, "listening");
  const stopWork = startBackgroundWork(logError, SERVER_JOBS, env.WORKER);
  return {
    url,
    setUpUrl: setUpToken && `${env.APP_ORIGIN ?? url}/set-up?token=${setUpToken}`,
    async stop(graceMs = chooseGraceMs(env, isReadinessProbed())) {
      await drain(graceMs, {
        endTurn: shared?.endTurn,
        async onClosed() {
          await shared?.onClosed();
          // Live streams would last until the deadline. Ended earlier, browsers would come back here.
          closeLiveStreams();
        },
      });
      await stopWork();
      await readiness.close();
      await closeDatabase();
      logger.info("stopped");
      flush();
    },
  };
}

function listen(server: Server, { HOST, PORT }: Env): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      const message = `Port ${PORT} on ${HOST} is taken by another program. Set PORT to another one.`;
      reject(isTaken ? new Error(message, { cause: error }) : error);
    });
    server.listen(PORT, HOST, resolve);
  });
}
