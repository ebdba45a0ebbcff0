import { spawn } from "node:child_process";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { getDatabaseOptions, withDatabase } from "../../app/db/client";
import { createClaimIndexer } from "../../app/services/claim-indexer";
import {
  catchUp,
  forgetClaims,
  listChainClaims,
  listClaimedShares,
  readIndexer,
  startClaimScene,
} from "../chain/claims";

test("an indexer that is killed again and again while it catches up leaves out and doubles nothing", async () => {
  const scene = await startClaimScene();
  for (let i = 0; i < 4; i += 1) {
    const { holders, claim } = await scene.launch();
    for (const holder of holders) {
      await claim(holder);
      await scene.mine(4);
    }
  }
  await forgetClaims();
  const stops: number[] = [];
  for (const answers of [3, 5, 4]) {
    // The endpoint says nothing more after so many answers: then the process is in the middle.
    let left = answers;
    const isInTheMiddle = new Promise<void>((resolve) => {
      scene.proxy.faults = {
        rangeMax: 5,
        hidesTimes: true,
        after: (method) => {
          if (method !== "eth_getLogs") return;
          left -= 1;
          if (left > 0) return;
          resolve();
          return new Promise(() => {});
        },
      };
    });
    const child = spawn(process.execPath, ["--import", "tsx", "tests/chain/index-claims.ts"], {
      stdio: "ignore",
      env: {
        ...process.env,
        DATABASE_ADDRESS: JSON.stringify(getDatabaseOptions().address),
        RPC_URL: scene.proxy.url,
      },
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await isInTheMiddle;
    child.kill("SIGKILL");
    await exited;
    const { finalBlock, claims } = await readIndexer();
    stops.push(finalBlock);
    // The cursor and the claims up to it went together.
    expect((await listClaimedShares()).length).toBe(claims);
  }
  scene.proxy.faults = {};
  expect(new Set(stops).size).toBeGreaterThan(1);
  await withDatabase((db) =>
    db.execute(sql`update claim_indexers set alive_at = now() - interval '1 minute'`),
  );
  const indexer = createClaimIndexer({ everyMs: 0 });
  await catchUp(indexer);
  const claimed = await listClaimedShares();
  expect(claimed).toHaveLength(16);
  expect(claimed).toEqual(await listChainClaims(scene));
  expect((await readIndexer()).claims).toBe(16);
  await indexer.close();
  await scene.stop();
}, 60_000);
