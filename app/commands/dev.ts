import type { ServerBuild } from "@remix-run/node";
import { createServer as createViteServer } from "vite";
import { readEnv } from "../env";
import { applyPatches } from "./patches.mjs";

// npm run dev: serves the same app with hot reload.

await applyPatches();
const vite = await createViteServer({ server: { middlewareMode: true }, appType: "custom" });
const load = (id: string) => vite.ssrLoadModule(id);
const loadBuild = () =>
  load("virtual:remix/server-build") as Promise<unknown> as Promise<ServerBuild>;
const { startServer } = (await load(
  "/app/server/start-server.ts",
)) as typeof import("../server/start-server");
const { stopOnSignals } = (await load(
  "/app/server/signals.ts",
)) as typeof import("../server/signals");

const env = readEnv();
const running = await startServer({
  env,
  build: await loadBuild(),
  reloadBuild: loadBuild,
  serveStatic: (request, response, next) => vite.middlewares(request, response, next),
});
stopOnSignals({
  ...running,
  async stop(graceMs) {
    await vite.close();
    await running.stop(graceMs);
  },
});
if (running.setUpUrl) console.error(`No operator yet. Make the first one: ${running.setUpUrl}`);
console.error(`Points and Rewards (development) is ready at ${running.url}`);
