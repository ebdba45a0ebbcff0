import { once } from "node:events";
import fs, { readFile } from "node:fs/promises";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDataDir,
  runCommand,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

// A proxy stands for a remote PostgreSQL. 0.0.0.0 leads to this machine, and is none of its names.

/** A self-signed certificate for 0.0.0.0, of these tests alone. */
const CERTIFICATE = "tests/support/tls/cert.pem";
const SSL_REQUEST = "0000000804d2162f";

let server: ServerProcess;
let proxy: net.Server;
let url: string;
/** The first bytes of each connection, in hex. */
let greetings: string[] = [];

beforeAll(async () => {
  server = await startServerProcess({ dataDir: await createDataDir() });
  await seed(server.dataDir, SMALL_FIXTURE.file);
  const context = tls.createSecureContext({
    cert: await readFile(CERTIFICATE),
    key: await readFile("tests/support/tls/key.pem"),
  });
  const socketPath = path.resolve(server.dataDir, "pg-run/.s.PGSQL.5432");
  proxy = net.createServer((socket) => {
    const join = (client: net.Socket | tls.TLSSocket, first?: Buffer) => {
      const upstream = net.connect(socketPath);
      for (const side of [client, upstream]) side.on("error", () => side.destroy());
      if (first) upstream.write(first);
      client.pipe(upstream).pipe(client);
    };
    socket.on("error", () => {});
    socket.once("data", (first: Buffer) => {
      greetings.push(first.subarray(0, 8).toString("hex"));
      if (greetings.at(-1) !== SSL_REQUEST) return join(socket, first);
      socket.write("S");
      join(new tls.TLSSocket(socket, { isServer: true, secureContext: context }));
    });
  });
  proxy.listen(0, "0.0.0.0");
  await once(proxy, "listening");
  const password = await readFile(path.join(server.dataDir, "pg/app-password"), "utf8");
  const { port } = proxy.address() as AddressInfo;
  url = `postgres://app:${encodeURIComponent(password.trim())}@0.0.0.0:${port}/points`;
});
afterAll(async () => {
  proxy.close();
  await server.end("SIGTERM");
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

const list = (env: Record<string, string>) => {
  greetings = [];
  return runCommand(["operators", "list"], { DATA_DIR: server.dataDir, ...env });
};

test("a remote database is reached over TLS whose certificate is verified", async () => {
  const { stdout } = await list({ DATABASE_URL: url, NODE_EXTRA_CA_CERTS: CERTIFICATE });
  expect(stdout).toContain("ops@example.com");
  expect(new Set(greetings)).toEqual(new Set([SSL_REQUEST]));
});

test("a certificate that nobody vouches for is refused at once, and DATABASE_TLS is named", async () => {
  for (const query of ["", "?sslmode=require", "?sslmode=prefer"]) {
    const failure = await list({ DATABASE_URL: url + query }).catch((error) => error);
    expect(failure.stderr, query).toMatch(/self-signed certificate.*DATABASE_TLS/s);
    expect(failure.stderr).not.toContain(new URL(url).password);
    expect(new Set(greetings)).toEqual(new Set([SSL_REQUEST]));
  }
});

test("DATABASE_TLS=off goes without, and a database on this machine needs none", async () => {
  expect((await list({ DATABASE_URL: url, DATABASE_TLS: "off" })).stdout).toContain("ops@");
  expect(greetings).not.toContain(SSL_REQUEST);
  const local = url.replace("0.0.0.0", "127.0.0.1");
  expect((await list({ DATABASE_URL: local })).stdout).toContain("ops@");
  expect(greetings).not.toContain(SSL_REQUEST);
});
