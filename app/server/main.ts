import path from "node:path";
import * as build from "virtual:remix/server-build";
import sirv from "sirv";
import { readEnv } from "../env";
import { stopOnSignals } from "./signals";
import { startServer } from "./start-server";

// The production server: a second entry of the Remix build, so that both share every module.

try {
  const serveFiles = sirv(path.join(import.meta.dirname, "../client"), {
    etag: true,
    setHeaders: (response, pathname) => {
      const isHashed = pathname.startsWith("/assets/");
      response.setHeader(
        "Cache-Control",
        isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600",
      );
    },
  });
  const env = readEnv();
  const running = await startServer({
    env,
    build,
    serveStatic: (request, response, next) => void serveFiles(request, response, next),
  });
  if (running.setUpUrl) console.error(`No operator yet. Make the first one: ${running.setUpUrl}`);
  console.error(`Points and Rewards is ready at ${running.url}`);
  stopOnSignals(running.stop, env.DRAIN_SECONDS);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
