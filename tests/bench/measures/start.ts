import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { createDataDir } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { takeMedian } from "../rounds";

const ROUNDS = 3;

/**
 * Measures the time from the start of `node build/server/main.js` to the first 200 of GET /readyz,
 * with the embedded database.
 */
export function measureStart(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const dataDir = createDataDir(defer);
      cold.push(await measureOneStart(dataDir));
      warm.push(await measureOneStart(dataDir));
      console.error(`  ${round}/${ROUNDS} cold ${cold.at(-1)} ms, warm ${warm.at(-1)} ms`);
    }
    return [
      createRow("cold start to the first 200", takeMedian(cold), "ms"),
      createRow("warm start to the first 200", takeMedian(warm), "ms"),
    ];
  });
}

function measureOneStart(dataDir: string): Promise<number> {
  return withCleanUp(async (defer) => {
    const startedAt = performance.now();
    const command = [SERVERS.production];
    const { url } = await startServer(defer, { command, env: { DATA_DIR: dataDir } });
    while ((await getStatus(`${url}/readyz`)) !== 200) await sleep(2);
    return Math.round(performance.now() - startedAt);
  });
}

function getStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once("error", reject);
  });
}
