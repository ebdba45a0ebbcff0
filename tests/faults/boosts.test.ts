import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import {
  createDataDir,
  fireOverHttp,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const createWallet = () => `0x${randomBytes(20).toString("hex")}`;

test("under load on two processes, exactly the credits of a boost's window are boosted, and answered so", async () => {
  const dataDir = await createDataDir();
  const server = await startServerProcess({ dataDir, env: { WEB_CONCURRENCY: "2" } });
  try {
    const startsMs = Date.now() + 15_000;
    const endsMs = startsMs + 1_500;
    const [system] = SMALL_FIXTURE.file.pointSystems;
    const boost = {
      ...{ name: "Rush", factor: 2.5 },
      ...{ startsAt: new Date(startsMs).toISOString(), endsAt: new Date(endsMs).toISOString() },
    };
    await seed(dataDir, {
      ...SMALL_FIXTURE.file,
      pointSystems: [{ ...system, boosts: [boost] }],
    });
    await sleep(startsMs - Date.now() - 700);
    const answered = new Map<string, number>();
    const callers = Array.from({ length: 12 }, async () => {
      while (Date.now() < endsMs + 700) {
        const wallet = createWallet();
        const answer = await fireOverHttp(server.url, wallet);
        expect(answer.status).toBe(200);
        answered.set(wallet, (await answer.json()).pointsAdded);
      }
    });
    await Promise.all(callers);
    const serving = server
      .logLines()
      .flatMap(({ route, pid }) => (route === "/trigger" ? pid : []));
    expect(new Set(serving).size).toBe(2);
    // It fails for any difference.
    await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
    await server.end("SIGTERM");

    const cluster = await holdEmbeddedCluster({ dataDir });
    const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
    const rows = await sql<{ address: string; points: number; at: number }[]>`
      select '0x' || encode(address, 'hex') as address, points::int,
        (extract(epoch from created_at) * 1000)::float8 as at
      from point_events where event = 'daily_login' and api_key_id is not null`;
    await sql.end();
    await cluster.release();
    const expected = rows.map(({ address, at }) => [
      address,
      startsMs <= at && at < endsMs ? 25 : 10,
    ]);
    expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(expected));
    expect(new Set(answered.values())).toEqual(new Set([10, 25]));
    expect(rows.some(({ at }) => at < startsMs) && rows.some(({ at }) => at >= endsMs)).toBe(true);
  } finally {
    await server.end("SIGTERM");
    await fs.rm(dataDir, { recursive: true, force: true });
  }
});
