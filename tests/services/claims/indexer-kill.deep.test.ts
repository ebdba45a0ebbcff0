import { spawn } from "node:child_process";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getDatabaseOptions, withDatabase } from "../../../app/db/client";
import { createChainFollower } from "../../../app/services/follower/follower";
import { TEST_CHAIN_ID } from "../../support/chain/anvil";
import {
  ageLeader,
  type ClaimScene,
  catchUp,
  findIndexer,
  forgetClaims,
  listChainClaims,
  listClaimedShares,
  readIndexer,
  startClaimScene,
} from "../../support/chain/claims";
import { waitUntil } from "../../support/server-process";

let scene: ClaimScene;
beforeAll(async () => {
  scene = await startClaimScene();
});
afterAll(async () => {
  await scene.stop();
});

/** Starts an indexer in a separate process. */
function startIndexerProcess(rpcUrl: string) {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "tests/support/chain/index-claims.ts"],
    {
      stdio: "ignore",
      env: {
        ...process.env,
        DATABASE_ADDRESS: JSON.stringify(getDatabaseOptions().address),
        RPC_URL: rpcUrl,
      },
    },
  );
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return {
    signal: (name: NodeJS.Signals) => child.kill(name),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

test("an indexer that is killed again and again while it catches up leaves out and doubles nothing", async () => {
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
    // The endpoint stops answering after this many answers: the process is then in the middle of
    // its work.
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
    const child = startIndexerProcess(scene.proxy.url);
    await isInTheMiddle;
    await child.kill();
    const { finalBlock, claims } = await readIndexer();
    stops.push(finalBlock);
    // The cursor and the claims up to it were written together.
    expect((await listClaimedShares()).length).toBe(claims);
  }
  scene.proxy.faults = {};
  expect(new Set(stops).size).toBeGreaterThan(1);
  await withDatabase((db) =>
    db.execute(sql`update chain_followers set lease_until = now() - interval '1 minute'`),
  );
  const indexer = createChainFollower({ everyMs: 0 });
  await catchUp(indexer);
  const claimed = await listClaimedShares();
  expect(claimed).toHaveLength(16);
  expect(claimed).toEqual(await listChainClaims(scene));
  expect((await readIndexer()).claims).toBe(16);
  await indexer.close();
}, 300_000);

test("a leader whose process stands still is followed, and takes nothing back to what it knew", async () => {
  const { holders, claim } = await scene.launch();
  const [first, second] = holders as [(typeof holders)[number], (typeof holders)[number]];
  await scene.mine(3);
  await forgetClaims();
  const child = startIndexerProcess(scene.proxy.url);
  await waitUntil(async () => (await findIndexer())?.headBlock != null, 30_000);
  // The process is paused after it has asked for the logs with the claim, and receives them when it
  // continues.
  const snapshot = await scene.anvil.client.snapshot();
  const isPaused = new Promise<void>((resolve) => {
    scene.proxy.faults = {
      after: (method, result) => {
        if (method !== "eth_getLogs" || (result as unknown[]).length === 0) return;
        scene.proxy.faults = {};
        child.signal("SIGSTOP");
        resolve();
      },
    };
  });
  await claim(first);
  await isPaused;
  const { epoch } = await readIndexer();
  await scene.fork(snapshot, 2);
  await claim(second);
  const other = createChainFollower({ everyMs: 0 });
  await other.look(TEST_CHAIN_ID);
  expect((await readIndexer()).epoch).toBe(epoch);
  await ageLeader();
  await catchUp(other);
  expect((await readIndexer()).epoch).toBe(epoch + 1);
  expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
  child.signal("SIGCONT");
  // It still has the lock and leads again, with a new epoch and the data that it reads from then
  // on.
  await waitUntil(async () => {
    expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
    return (await readIndexer()).epoch > epoch + 1;
  }, 20_000);
  await scene.mine(3);
  await waitUntil(async () => {
    expect(await listClaimedShares()).toEqual(await listChainClaims(scene));
    const head = Number(await scene.anvil.client.getBlockNumber());
    return (await readIndexer()).headBlock === head;
  }, 20_000);
  await child.kill();
  await other.close();
}, 90_000);
