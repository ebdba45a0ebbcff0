import http from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startNginx } from "../endurance/balancers";
import { cleanUps, startSeededServer } from "../support/seeded-server";
import { fireOverHttp, SMALL_FIXTURE, waitUntil } from "../support/server-process";

const { pointSystemId, wallet, file } = SMALL_FIXTURE;
const PUBLIC = `/rewards/claim-status?address=${wallet}&pointSystemId=${pointSystemId}`;

async function start() {
  const server = await startSeededServer({ TRUSTED_PROXIES: "127.0.0.1" });
  const nginx = await startNginx(server.dataDir, [Number(new URL(server.url).port)]);
  cleanUps.push(() => nginx.stop());
  return { server, url: nginx.url };
}

async function signIn(url: string, Origin: string): Promise<string> {
  const { email, password } = file.operators[0];
  const response = await fetch(`${url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin },
    body: new URLSearchParams({ email, password }),
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Calls a path from an address of this machine. */
function callFrom(
  localAddress: string,
  url: string,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { localAddress, headers, agent: false }, (response) => {
      void text(response).then(() => resolve(response.statusCode ?? 0), reject);
    });
    request.on("error", reject);
  });
}

test("behind nginx as documented, imports and live streams pass", async () => {
  const { server, url } = await start();
  const Cookie = await signIn(url, server.url);
  const form = new FormData();
  const rows = `address,points\n${"\n".repeat(5 * 1024 * 1024)}`;
  form.append("file", new File([rows], "points.csv", { type: "text/csv" }));
  const upload = await fetch(`${url}/dashboard/${pointSystemId}/imports`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: server.url, Cookie },
    body: form,
  });
  // The service has read it, and says that it has no rows.
  expect(upload.status).toBe(400);
  expect(await upload.text()).toContain("no rows");

  const leaving = new AbortController();
  const live = await fetch(`${url}/dashboard/${pointSystemId}/live`, {
    headers: { Cookie },
    signal: leaving.signal,
  });
  expect(live.headers.get("content-type")).toContain("text/event-stream");
  let stream = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const chunk of live.body as unknown as AsyncIterable<Uint8Array>) {
      stream += decoder.decode(chunk, { stream: true });
    }
  })().catch(() => {});
  expect((await fireOverHttp(url, wallet)).status).toBe(200);
  await waitUntil(() => stream.includes("data:"), 20_000);
  leaving.abort();
  await reading;
});

test("behind nginx as documented, each client has its own limits, and a forged address none", async () => {
  const { url } = await start();
  const ask = (from: string, forged = "198.51.100.1") =>
    callFrom(from, url + PUBLIC, { "X-Forwarded-For": forged });
  let asked = 0;
  await waitUntil(async () => {
    asked += 1;
    return (await ask("127.0.0.2", `198.51.100.${asked % 250}`)) === 429;
  }, 60_000);
  expect(asked).toBeGreaterThan(60);
  expect(await ask("127.0.0.3")).not.toBe(429);
});
