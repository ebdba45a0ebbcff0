import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import sirv from "sirv";

/** The types of files that are texts: sirv itself does not name their encoding. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/**
 * Creates a handler that serves the files which a folder has now, and calls `next` for all others.
 * @param folder the files that browsers load
 */
export function createFileServer(folder: string) {
  const serveFile = sirv(folder, {
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
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    // sirv throws at a range that ends before it starts. Files are small: each is sent whole.
    delete request.headers.range;
    response.once("pipe", (file) => guardFile(file, request.socket, response));
    serveFile(request, response, next);
  };
}

/**
 * Ends a file with its connection, which would leave it open for good, and the connection with a file that cannot be
 * read, as it is gone or too many are open: without a listener, that ends the process.
 */
function guardFile(file: Readable, socket: Socket, response: ServerResponse): void {
  const end = () => file.destroy();
  file.once("error", () => response.destroy());
  if (socket.destroyed) end();
  // A client that pipelines has many files on one connection.
  socket.setMaxListeners(0).once("close", end);
  file.once("close", () => socket.off("close", end));
}
