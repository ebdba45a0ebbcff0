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

/** Counts the entries of indexes of shares that were read. A build's connection says so when it ends. */
async function countRead(): Promise<number> {
  const [row] = await other<{ entries: number }[]>`
    select sum(idx_tup_read)::int as entries from pg_stat_user_indexes where relname = 'distributions'`;
  return row?.entries ?? 0;
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
  await expect.poll(countRead).toBeGreaterThan(before);
  expect((await countRead()) - before).toBeLessThan(20 * WALLETS);
});
