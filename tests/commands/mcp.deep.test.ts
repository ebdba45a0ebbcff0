import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeAll, expect, test } from "vitest";
import { startHttpFake } from "../support/fakes/http-fake";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

// Model Context Protocol 2026-07-28, spoken by its own client.

const { file, pointSystemId, wallet, token } = SMALL_FIXTURE;
const WRITES = ["--allow-writes"];
const credit = { triggerKey: "daily_login", walletAddress: wallet, pointSystemId };

let server: ServerProcess;
beforeAll(async () => {
  const dataDir = await createDataDir();
  server = await startServerProcess({ dataDir });
  await seed(dataDir, file);
  return async () => {
    await server.end("SIGTERM");
    await fs.rm(dataDir, { recursive: true, force: true });
  };
});

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(args: string[] = [], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["app/commands/run.mjs", "mcp", ...args],
      env: { POINTS_URL: server.url, POINTS_API_KEY: token, ...env },
    }),
  );
  return client;
}

async function call(client: Client, name: string, input: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [{ text } = { text: "" }] = content as { text: string }[];
  return { text, isError: isError ?? false };
}

async function countEvents(client: Client): Promise<number> {
  const { text } = await call(client, "listActivity", { pointSystemId });
  return JSON.parse(text).pagination.total;
}

test("the tools are the service's own reading endpoints, and they read", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  const reading = Object.values<{ get?: { operationId: string } }>(document.paths).flatMap(
    ({ get }) => (get ? [get.operationId] : []),
  );
  expect(tools.map(({ name }) => name).toSorted()).toEqual(reading.toSorted());
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);

  const read = await call(client, "getWallet", { pointSystemId, address: wallet });
  const direct = await fetch(
    `${server.url}/wallet?pointSystemId=${pointSystemId}&address=${wallet}`,
    { headers: { Authorization: `Bearer ${token}` } },
  );
  expect(read).toEqual({ text: await direct.text(), isError: false });
});

test("with writes allowed, a tool shows its request first, and credits only when it is told to", async () => {
  const client = await connect(WRITES);
  const before = await countEvents(client);
  const dry = await call(client, "creditPoints", credit);
  expect(dry.isError).toBe(false);
  expect(dry.text).toContain(`"url":"${server.url}/trigger"`);
  expect(await countEvents(client)).toBe(before);

  const input = { ...credit, "Idempotency-Key": randomUUID(), dryRun: false };
  for (let i = 0; i < 2; i += 1) {
    const { text, isError } = await call(client, "creditPoints", input);
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toMatchObject({ success: true, pointsAdded: 10 });
  }
  expect(await countEvents(client)).toBe(before + 1);
});

test("a refusal names the code, the request's id and the page with its remedy, and no key", async () => {
  const client = await connect(WRITES);
  const input = { ...credit, triggerKey: "nobody", dryRun: false };
  const { text, isError } = await call(client, "creditPoints", input);
  expect(isError).toBe(true);
  expect(text).toContain('"code":"trigger_not_found"');
  expect(text).toMatch(/Request id: [0-9a-f-]{36}/);
  expect(text).toContain(`${server.url}/docs/errors/trigger_not_found`);
  expect(text).not.toContain(token);
});

test("input that the endpoint does not know is refused before it is sent", async () => {
  const client = await connect(WRITES);
  const { isError } = await call(client, "creditPoints", { ...credit, dryRum: false });
  expect(isError).toBe(true);
});

test("an item's field that the endpoint does not know is refused before it is sent", async () => {
  const client = await connect(WRITES);
  const item = { triggerKey: "daily_login", walletAddress: wallet };
  const send = (more: object) =>
    call(client, "creditBatch", { pointSystemId, items: [{ ...item, ...more }] });
  expect((await send({ idempotencykey: "k" })).isError).toBe(true);
  expect((await send({ idempotencyKey: "k", metadata: { order: 1 } })).isError).toBe(false);
});

test("a repetition, the time to wait and an unknown outcome are told", async () => {
  const openApi = await (await fetch(`${server.url}/openapi.json`)).text();
  const answers: [number, Record<string, string>, string][] = [
    [200, { "Idempotent-Replayed": "true" }, '{"success":true}'],
    [429, { "Retry-After": "17" }, '{"code":"rate_limit_exceeded"}'],
    [503, { "Retry-After": "1" }, '{"code":"outcome_unknown"}'],
    [502, {}, "<html>"],
    [503, { "Retry-After": "1" }, '{"code":"not_credited"}'],
  ];
  const fake = await startHttpFake(({ method }, _, response) => {
    const [status, headers, text] = (method === "POST" && answers.shift()) || [200, {}, openApi];
    response.writeHead(status, headers).end(text);
  });
  const client = await connect(WRITES, { POINTS_URL: fake.url });
  const input = { ...credit, dryRun: false };
  const read = async () =>
    JSON.stringify((await client.callTool({ name: "creditPoints", arguments: input })).content);
  expect(await read()).toContain("Idempotent-Replayed: true");
  const limited = await read();
  expect(limited).toContain("refused the call with 429");
  expect(limited).toContain("Retry-After: 17");
  expect(limited).not.toContain("may have been carried out");
  for (const status of [503, 502]) {
    const open = await read();
    expect(open).toContain(`${status}`);
    expect(open).not.toContain("refused");
    expect(open).toContain("may have been carried out");
  }
  expect(await read()).toContain("refused the call with 503");
  await client.close();
  await fake.stop();
});

test("without a key there are only the tools that need none", async () => {
  const client = await connect(WRITES, { POINTS_API_KEY: "" });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(["getClaimStatus", "getProof"]);
});

test("where no service answers, the command says so and ends", async () => {
  const env = { ...process.env, POINTS_URL: "http://localhost:9", POINTS_API_KEY: token };
  const command = promisify(execFile)(process.execPath, ["app/commands/run.mjs", "mcp"], { env });
  const { code, stdout, stderr } = await command.catch((error) => error);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^No service describes itself at http:\/\/localhost:9\/openapi\.json: /);
  expect(stderr).not.toContain(token);
});
