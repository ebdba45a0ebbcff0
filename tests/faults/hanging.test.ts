import { expect, test } from "vitest";
import { findFreePort } from "../support/free-port";
import { cleanUps, getWallet, startSeededServer } from "../support/seeded-server";
import { fireOverHttp, SMALL_FIXTURE, startServerProcess } from "../support/server-process";

const { wallet } = SMALL_FIXTURE;

test("a server that hangs is told by its metrics' port; killed and started again, it has every answered credit", async () => {
  const port = await findFreePort();
  const server = await startSeededServer({ METRICS_PORT: String(port) });
  const probe = () =>
    fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) });
  expect((await probe()).status).toBe(200);
  expect((await fireOverHttp(server.url, wallet)).status).toBe(200);
  server.process.kill("SIGSTOP");
  await expect(probe()).rejects.toThrow("timeout");
  await server.end("SIGKILL");
  const next = await startServerProcess({ dataDir: server.dataDir });
  cleanUps.push(() => next.end("SIGTERM"));
  expect(await (await getWallet(next.url)).json()).toMatchObject({ points: 35, events: 2 });
});
