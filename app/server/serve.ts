import path from "node:path";
import * as build from "virtual:remix/server-build";
import sirv from "sirv";
import type { Env } from "../env";
import { type RunningServer, type SharedStart, startServer } from "./start-server";

/** The types of files that are texts: sirv itself does not name their encoding. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/**
 * Serves the Remix build, which is part of this program: both share every module.
 * @param clientFolder the files that browsers load
 * @param shared the parts that the processes of one service have in common
 */
export function serveBuild(
  env: Env,
  clientFolder: string,
  shared?: SharedStart,
): Promise<RunningServer> {
  const serveFiles = sirv(clientFolder, {
    etag: true,
    // The build writes each file's compressed forms beside it.
    brotli: true,
    gzip: true,
    setHeaders: (response, pathname) => {
      const type = TEXT_TYPES[path.extname(pathname)];
      if (type) response.setHeader("Content-Type", `${type}; charset=utf-8`);
      const isHashed = pathname.startsWith("/assets/");
      response.setHeader(
        "Cache-Control",
        isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600",
      );
    },
  });
  return startServer({
    env,
    build,
    serveStatic: (request, response, next) => void serveFiles(request, response, next),
    shared,
  });
}
