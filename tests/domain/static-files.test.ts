import fs from "node:fs/promises";
import { createServer, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFileServer } from "../../app/http/static-files";

let folder: string;
let server: Server;
let url: string;
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-files-"));
  for (const name of ["kept.js", "gone.js"]) await fs.writeFile(path.join(folder, name), "0123");
  // More than the buffers of a connection take.
  await fs.writeFile(path.join(folder, "large.js"), "x".repeat(32 * 1024 * 1024));
  const serveFile = createFileServer(folder);
  server = createServer((request, response) =>
    serveFile(request, response, () => response.writeHead(404).end()),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await fs.rm(folder, { recursive: true });
});

/** Asks for a file; in vain for some seconds at most. */
const ask = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/${name}`, { headers, signal: AbortSignal.timeout(5_000) });

test.each(["bytes=3-1", "bytes=0-0", "bytes=9-", "bytes=-1", "x"])(
  "a file is sent whole, whatever range is asked for: %s",
  async (range) => {
    const answer = await ask("kept.js", { Range: range });
    expect([answer.status, await answer.text()]).toEqual([200, "0123"]);
  },
);

test("a file that is gone since the start breaks its own answer only", async () => {
  await fs.rm(path.join(folder, "gone.js"));
  await expect(ask("gone.js").then((answer) => answer.text())).rejects.toThrow();
  expect(await (await ask("kept.js")).text()).toBe("0123");
});

/** Counts how often this process has a file of the folder open. */
async function countOpen(name: string): Promise<number> {
  const links = (await fs.readdir("/proc/self/fd")).map((fd) =>
    fs.readlink(`/proc/self/fd/${fd}`).catch(() => ""),
  );
  return (await Promise.all(links)).filter((link) => link === path.join(folder, name)).length;
}

test.runIf(process.platform === "linux")(
  "files are closed when the client goes, however many it asked for",
  async () => {
    const request = "GET /large.js HTTP/1.1\r\nHost: x\r\n\r\n";
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(request.repeat(12));
    socket.pause();
    await expect.poll(() => countOpen("large.js")).toBe(12);
    socket.destroy();
    await expect.poll(() => countOpen("large.js"), { timeout: 3_000 }).toBe(0);
  },
);
