import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { DatabaseAddress } from "../db/pool";
import { closeReplicas, openReplicas } from "../db/replicas";
import { getAccountLink } from "../domain/access/account-link";
import type { Env } from "../env";
import { createSetUpToken } from "../services/accounts/set-up";
import { closeLiveStreams } from "../services/insights/live-feed";
import { setRequestLog } from "../services/insights/request-log";
import { SERVER_JOBS } from "../worker/jobs";
import { chooseGraceMs, type DrainHooks } from "./drain";
import { isReadinessProbed } from "./health";
import { createHttpServer, type HttpServerOptions } from "./http-server";
import { listenForMetrics } from "./metrics";
import { getListeningOrigin } from "./same-origin";
import { openProcess, startBackgroundWork } from "./start-worker";

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
  /** The number of this process, from 0 on. */
  readonly place: number;
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
   * @param graceMs the time in which it goes on accepting requests
   */
  readonly stop: (graceMs: number) => Promise<void>;
  /** Chooses the grace of a stop that begins now. */
  readonly chooseGraceMs: () => number;
  /** Resolves when another version has taken the database over. */
  readonly outdated: Promise<void>;
}

/**
 * Starts the database, its schema and the HTTP server.
 * @throws {Error} with a message for people when the port is taken or the database fails;
 *   everything that was started is stopped again
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { env, shared } = options;
  const opened = await openProcess(env, shared?.address);
  const { logger, logError, readiness } = opened;
  openReplicas({
    urls: env.DATABASE_REPLICA_URLS,
    lagMaxMs: env.DATABASE_REPLICA_LAG_SECONDS * 1_000,
    onChange: (host, state) => {
      const level = state === "serving" ? "info" : "warn";
      logger[level]({ component: "database", replica: host, state }, "a replica's state changed");
    },
  });
  const close = async () => {
    await closeReplicas();
    await opened.close();
  };
  setRequestLog(env.REQUEST_LOG);
  let isStopping = false;
  const isReady = async () => !isStopping && (shared?.isComplete() ?? true) && readiness.isReady();
  const { server, drain } = createHttpServer({
    ...options,
    logger,
    logError,
    isReady,
    appOrigin: env.APP_ORIGIN,
    securityContact: env.SECURITY_CONTACT,
    isSignUpOpen: env.OPEN_SIGNUP,
    host: env.HOST,
    trustedProxies: env.TRUSTED_PROXIES,
    metricsToken: env.METRICS_TOKEN,
  });
  let setUpToken: string | null;
  let closeMetrics = async () => {};
  try {
    await opened.begin();
    setUpToken = shared?.makesSetUpLink === false ? null : await createSetUpToken();
    closeMetrics = await listenForMetrics(env, shared?.place ?? 0, isReady);
    await listen(server, env);
  } catch (error) {
    await closeMetrics();
    await close();
    throw error;
  }
  const url = getListeningOrigin(env.HOST, (server.address() as AddressInfo).port);
  logger.info({ url }, "listening");
  const stopWork = startBackgroundWork(logError, SERVER_JOBS, env.WORKER);
  return {
    url,
    outdated: readiness.outdated,
    setUpUrl: setUpToken && getAccountLink("set_up", setUpToken, env.APP_ORIGIN ?? url),
    chooseGraceMs: () => chooseGraceMs(env, isReadinessProbed()),
    async stop(graceMs) {
      isStopping = true;
      await drain(graceMs, {
        endTurn: shared?.endTurn,
        async onClosed() {
          await shared?.onClosed();
          // Live streams would last until the deadline. Ended earlier, browsers would come back here.
          closeLiveStreams();
        },
      });
      await stopWork();
      await closeMetrics();
      await close();
    },
  };
}

function listen(server: Server, { HOST, PORT }: Env): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message =
        error.code === "EADDRINUSE"
          ? `Port ${PORT} on ${HOST} is taken by another program. Set PORT to another one.`
          : `HOST, PORT: the service cannot listen on ${HOST}, port ${PORT}: ${error.message}`;
      reject(new Error(message, { cause: error }));
    });
    server.listen(PORT, HOST, resolve);
  });
}
