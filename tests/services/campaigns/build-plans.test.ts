import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { buildAllocation } from "../../../app/services/campaigns/build/build";
import {
  createCampaign,
  fillWallets,
  getAllocation,
  orderAllocation,
} from "../../support/campaigns";
import { createOwner } from "../../support/operators";
import { other } from "../../support/test-database";

const WALLETS = 2_000;

/** Splits a new campaign among the wallets of a point system. */
async function split(pointSystemId: string): Promise<void> {
  const order = await orderAllocation(await createCampaign(pointSystemId), 10n ** 18n);
  await buildAllocation(order);
  expect(await getAllocation(order)).toMatchObject({ status: "built", wallets: WALLETS });
}

async function createWallets(): Promise<string> {
  const { pointSystemId } = await createOwner();
  await fillWallets(pointSystemId, Array<number>(WALLETS).fill(10));
  return pointSystemId;
}

/** Counts the entries of indexes of shares that were read, once no connection of a build that ended has more to say. */
async function countRead(): Promise<number> {
  let entries = -1;
  for (let before = -2; entries !== before; await sleep(500)) {
    before = entries;
    const [row] = await other<{ entries: number }[]>`
      select sum(idx_tup_read)::int as entries from pg_stat_user_indexes where relname = 'distributions'`;
    entries = row?.entries ?? 0;
  }
  return entries;
}

test("a split reads the shares of other campaigns no more often than once, whatever the statistics say of them", async () => {
  await other`alter table distributions set (autovacuum_enabled = off)`;
  await split(await createWallets());
  // The statistics know nothing of the next point system's shares.
  await other`analyze`;
  const pointSystemId = await createWallets();
  await split(pointSystemId);
  const before = await countRead();
  await split(pointSystemId);
  const read = (await countRead()) - before;
  expect(read).toBeGreaterThanOrEqual(WALLETS);
  expect(read).toBeLessThan(20 * WALLETS);
});
