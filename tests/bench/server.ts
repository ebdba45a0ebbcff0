import * as build from "virtual:remix/server-build";
import type { AppLoadContext, ServerBuild } from "@remix-run/node";
import { endpoint } from "../../app/api/endpoint";
import { getApiRouteId } from "../../app/api/endpoints";
import * as trigger from "../../app/api/trigger";
import { DATABASE_DEADLINE_MS } from "../../app/domain/deadline";
import { createEventId } from "../../app/domain/ledger/event-id";
import { readEnv } from "../../app/env";
import { answerJson } from "../../app/http/answers";
import { readJsonBody } from "../../app/http/request";
import { stopOnSignals } from "../../app/server/signals";
import { startServer } from "../../app/server/start-server";
import { creditOrders, type TriggerCall } from "../../app/services/ledger/credit-statement";

// The measured server: production's own parts and an endpoint that does nothing. It is an entry of
// the Remix build in mode `bench` (vite.config.ts), so it is bundled like production and shares
// every module with the routes. With the argument `router` there is no front door, and POST
// /trigger takes a transaction for each call.

/** The path of the endpoint that the empty one replaces; no benchmark uses it otherwise. */
const EMPTY_PATH = "/api/sdk/activity";
/** Gives the empty endpoint's log line the length of a credit's. */
const API_KEY_ID = "b0000000-0000-4000-8000-0000000000a1";

/**
 * Reads the body of a trigger call and answers as POST /trigger does, without using the database.
 */
async function answerEmpty(args: { request: Request; context: AppLoadContext }): Promise<Response> {
  const { triggerKey, walletAddress } = (await readJsonBody(args.request)) as TriggerCall;
  args.context.log.apiKeyId = API_KEY_ID;
  return answerJson({ success: true, pointsAdded: 10, triggerKey, walletAddress }, args.context);
}

/** POST /trigger, each call a statement and a transaction of its own. */
const triggerAlone = endpoint("trigger", {
  ...trigger.action.declaration,
  scope: "in-statement",
  async handle({ input, credential }) {
    const order = {
      pointSystemId: input.pointSystemId,
      tokenHash: credential.tokenHash,
      calls: [{ ...input, eventId: createEventId() }],
      isAtomic: false,
      isUncertain: false,
    };
    const terms = { connection: 0, endsAtMs: performance.now() + DATABASE_DEADLINE_MS };
    const [[verdict] = []] = await creditOrders([order], terms);
    if (verdict?.verdict !== "credited" || verdict.apiKeyId === null) {
      throw new Error(`The benchmark's credit was refused: ${verdict?.verdict}`);
    }
    const { apiKeyId, pointsAdded } = verdict;
    const { triggerKey, walletAddress } = input;
    return { apiKeyId, body: { success: true as const, pointsAdded, triggerKey, walletAddress } };
  },
});

/** Replaces the function at one of the build's mounts. */
function replaceEndpoint(
  build: ServerBuild,
  path: string,
  serve: typeof answerEmpty | typeof triggerAlone,
): ServerBuild {
  const id = getApiRouteId(path);
  const route = build.routes[id];
  if (!route) throw new Error(`The build lacks the route ${path}`);
  const module = { ...route.module, loader: serve, action: serve };
  return { ...build, routes: { ...build.routes, [id]: { ...route, module } } };
}

const usesFrontDoor = process.argv[2] !== "router";
const running = await startServer({
  env: readEnv(),
  build: usesFrontDoor
    ? replaceEndpoint(build, EMPTY_PATH, answerEmpty)
    : replaceEndpoint(build, "/trigger", triggerAlone),
  serveStatic: (_request, _response, next) => next(),
  usesFrontDoor,
});
console.error(`The benchmark's server is ready at ${running.url}`);
stopOnSignals(running);
