import * as build from "virtual:remix/server-build";
import type { Env } from "../env";
import { createFileServer } from "../http/static-files";
import { type RunningServer, type SharedStart, startServer } from "./start-server";

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
  return startServer({
    env,
    build,
    serveStatic: createFileServer(clientFolder),
    shared,
  });
}
