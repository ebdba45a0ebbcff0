import { afterEach, expect, test, vi } from "vitest";
import { closeReplicas, listReplicas, openReplicas } from "../../../app/db/replicas";
import { readNearby } from "../../../app/db/replicated";
import { findTotals } from "../../../app/services/point-systems/totals";
import { scene } from "../../support/scene";
import { database } from "../../support/test-database";

afterEach(closeReplicas);

test("a server that is no standby, and one that is not there, answer no reads", async () => {
  const { pointSystemId } = await scene();
  const { host, port, username, password, database: name } = database;
  const own = `postgres://${username}:${password}@localhost:${port}/${name}?host=${host}`;
  const states: Record<string, string> = {};
  openReplicas({
    urls: [own, "postgres://reader:hidden@127.0.0.1:1/none"],
    lagMaxMs: 5_000,
    onChange: (replica, state) => {
      states[replica] = state;
    },
  });
  const read = () => readNearby("a question", [], () => findTotals(pointSystemId));
  await expect(read()).resolves.toMatchObject({ wallets: 0 });
  await vi.waitFor(() => expect(states[`${host}:${port}`]).toBe("promoted"), 10_000);
  await expect(read()).resolves.toMatchObject({ wallets: 0 });
  expect(listReplicas()).toMatchObject([
    { state: "promoted" },
    { host: "127.0.0.1:1", state: "away" },
  ]);
  expect(JSON.stringify([states, listReplicas()])).not.toContain("hidden");
});

test("without replicas, reads are the primary's", async () => {
  const { pointSystemId } = await scene();
  expect(listReplicas()).toEqual([]);
  await expect(
    readNearby("a question", [], () => findTotals(pointSystemId)),
  ).resolves.toMatchObject({ wallets: 0 });
});
