import fs from "node:fs/promises";
import net from "node:net";
import { afterEach, expect, test } from "vitest";
import {
  createDataDir,
  fireOverHttp,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, wallet, file } = SMALL_FIXTURE;
const LIVE = `/dashboard/${pointSystemId}/live`;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(): Promise<ServerProcess> {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const server = await startServerProcess({ dataDir });
  cleanUps.push(() => server.end("SIGTERM"));
  await seed(dataDir, file);
  return server;
}

/**
 * Signs in.
 * @returns the session's cookie
 */
async function signIn(url: string): Promise<string> {
  const { email, password } = file.operators[0];
  const response = await fetch(`${url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: url },
    body: new URLSearchParams({ email, password }),
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Opens a stream and collects its text. */
async function openStream(url: string, headers: Record<string, string>) {
  const response = await fetch(`${url}${LIVE}`, { headers });
  let text = "";
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
    }
  })();
  return { response, ended, text: () => text };
}

test("a credit comes over the stream, and again to who comes back from before it", async () => {
  const { url } = await start();
  const Cookie = await signIn(url);
  const stream = await openStream(url, { Cookie });
  expect(stream.response.status).toBe(200);
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "content-security-policy":
      "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  });
  expect((await fireOverHttp(url, wallet)).status).toBe(200);
  await waitUntil(() => stream.text().includes("data:"), 10_000);
  const [, id, data] = /^id: (\d+)\ndata: (.*)$/m.exec(stream.text()) ?? [];
  expect(JSON.parse(data ?? "")).toEqual({
    events: [
      {
        id: expect.any(String),
        address: wallet,
        points: 10,
        event: "daily_login",
        date: expect.any(String),
        boost: null,
      },
    ],
    skipped: 0,
  });
  const returned = await openStream(url, { Cookie, "Last-Event-ID": String(Number(id) - 1) });
  await waitUntil(() => returned.text().includes("data:"), 10_000);
  expect(returned.text()).toContain(data);
});

test("a stream needs a session and membership, and an operator's sixth is refused", async () => {
  const { url } = await start();
  const answer = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${url}${path}`, { headers, redirect: "manual" })).status;
  expect(await answer(LIVE, {})).toBe(302);
  const Cookie = await signIn(url);
  expect(await answer(LIVE.replaceAll("1", "2"), { Cookie })).toBe(404);
  for (let i = 0; i < 5; i += 1) await openStream(url, { Cookie });
  const refused = await fetch(`${url}${LIVE}`, { headers: { Cookie } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("30");
});

test("a stream that its client left makes room for another", async () => {
  const { url } = await start();
  const Cookie = await signIn(url);
  const clients = Array.from({ length: 5 }, () => new AbortController());
  for (const { signal } of clients) await fetch(`${url}${LIVE}`, { headers: { Cookie }, signal });
  clients[0]?.abort();
  await waitUntil(async () => {
    const client = new AbortController();
    const { signal } = client;
    const { status } = await fetch(`${url}${LIVE}`, { headers: { Cookie }, signal });
    client.abort();
    return status === 200;
  }, 10_000);
});

test("a stop ends open streams properly, where its deadline would cut them off", async () => {
  const server = await start();
  const Cookie = await signIn(server.url);
  const streams = [
    await openStream(server.url, { Cookie }),
    await openStream(server.url, { Cookie }),
  ];
  expect(await server.end("SIGTERM")).toBe(0);
  // A connection that is cut off fails here.
  for (const { ended } of streams) await ended;
});

test("a call that is refused before its body is read is counted, and its connection goes on", async () => {
  const { url } = await start();
  const body = JSON.stringify({ triggerKey: "daily_login", walletAddress: wallet, pointSystemId });
  const call = `POST /trigger HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
  let answers = "";
  socket.on("data", (data) => {
    answers += data;
  });
  for (let calls = 1; calls <= 3; calls += 1) {
    socket.write(call);
    await waitUntil(() => answers.split("401 Unauthorized").length === calls + 1, 5_000);
  }
  socket.destroy();
  const Cookie = await signIn(url);
  await waitUntil(async () => {
    const page = await fetch(`${url}/dashboard/${pointSystemId}`, { headers: { Cookie } });
    return /Missing API key.{0,200}>3</s.test(await page.text());
  }, 15_000);
});
