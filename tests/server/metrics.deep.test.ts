import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { RELEASE } from "../../app/process/release";
import { findFreePort } from "../support/free-port";
import { cleanUps, startSeededServer } from "../support/seeded-server";
import { waitUntil } from "../support/server-process";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

test("server and worker have metrics, health and readiness on a port of their own", async () => {
  const port = await findFreePort();
  const server = await startSeededServer({ METRICS_PORT: String(port) });
  const workerPort = await findFreePort();
  const worker = spawn(process.execPath, ["build/server/worker-main.js"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      DATABASE_URL: "",
      DATA_DIR: server.dataDir,
      RPC_URL_1: "off",
      METRICS_PORT: String(workerPort),
    },
  });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  cleanUps.push(async () => {
    worker.kill("SIGTERM");
    await ended;
  });
  let output = "";
  worker.stderr.on("data", (chunk) => {
    output += chunk;
  });
  await waitUntil(() => output.includes("The worker is ready"), 60_000);
  expect((await fetch(`${server.url}/sign-in`)).status).toBe(200);
  for (const at of [port, workerPort]) {
    const get = (path: string) => fetch(`http://127.0.0.1:${at}${path}`);
    const answer = await get("/metrics");
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain(`points_build_info{version="${RELEASE}"`);
    expect(text).toContain("points_database_scraped 1\n");
    const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1];
    expect(Number(lag)).toBeGreaterThan(0);
    const request =
      /^points_http_request_duration_seconds_count\{route="\/sign-in",status="200"\} 1$/m;
    expect(request.test(text)).toBe(at === port);
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/")).status).toBe(404);
  }
  // Without METRICS_TOKEN, callers of the service see none.
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
});

test("a request's id and trace are taken over, lines have instance and version, and probes are no lines", async () => {
  const server = await startSeededServer();
  const get = (path: string, headers: Record<string, string>) =>
    fetch(server.url + path, { headers });
  for (const path of ["/healthz", "/readyz"]) await get(path, { "X-Request-Id": "probe" });
  const answer = await get("/sign-in", {
    "X-Request-Id": "lb-1/42",
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
  });
  expect(answer.headers.get("x-request-id")).toBe("lb-1/42");
  const unfit = await get("/sign-in", { "X-Request-Id": 'a" b', traceparent: "00-x-y-01" });
  const ownId = unfit.headers.get("x-request-id");
  expect(ownId).toMatch(/^[\da-f-]{36}$/);
  const find = (id: string | null) => server.logLines().find(({ requestId }) => requestId === id);
  await waitUntil(() => find("lb-1/42") !== undefined && find(ownId) !== undefined, 10_000);
  expect(find("lb-1/42")).toMatchObject({
    route: "/sign-in",
    traceId: TRACE,
    version: RELEASE,
    instance: expect.stringMatching(/./),
  });
  expect(find(ownId)).not.toHaveProperty("traceId");
  expect(find("probe")).toBeUndefined();
});
