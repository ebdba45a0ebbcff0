import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { expect, test } from "vitest";
import { closeDatabase, getDatabaseOptions, openDatabase } from "../../../app/db/client";
import { collectProcessMetrics, metrics } from "../../../app/process/metrics";
import { RELEASE } from "../../../app/process/release";
import { collect } from "../../../app/server/metrics";
import { createWebhook } from "../../../app/services/webhooks/endpoints";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { findOwner } from "../../support/operators";
import { scene } from "../../support/scene";
import { database, other } from "../../support/test-database";

/** Reads the value of a metric from the text of a scrape. */
async function read(line: string): Promise<number | undefined> {
  const found = (await collect()).split("\n").find((text) => text.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

test("a credit, its batch and the tail that it leaves are in the metrics", async () => {
  const { fire } = await scene();
  const before = (await read('points_credit_calls_total{outcome="credited"}')) ?? 0;
  const tailBefore = (await read('points_fold_tail_entries{fold="ranks"}')) ?? 0;
  expect((await fire()).status).toBe(200);
  expect(await read('points_credit_calls_total{outcome="credited"}')).toBe(before + 1);
  expect(await read('points_batch_calls_count{batcher="credits"}')).toBeGreaterThan(0);
  expect(await read('points_fold_tail_entries{fold="ranks"}')).toBe(tailBefore + 1);
});

test("jobs that wait are counted by state, with the time for which the oldest is due", async () => {
  await other`
    insert into jobs (queue, data, state, run_after)
    values ('refresh-scores', '{}', 'waiting', now() - interval '10 minutes')`;
  expect(await read('points_jobs{queue="refresh-scores",state="waiting"}')).toBe(1);
  expect(await read('points_job_oldest_seconds{queue="refresh-scores"}')).toBeGreaterThan(599);
  await other`delete from jobs`;
  // A gauge of an earlier scrape does not stay.
  expect(await read('points_jobs{queue="refresh-scores",state="waiting"}')).toBeUndefined();
});

test("credits that no worker has taken up count as the lag of their webhook, until its point system is deleted", async () => {
  const { pointSystemId, fire } = await scene();
  useGiftCardKeys(createGiftCardKey("k1"));
  await createWebhook(await findOwner(pointSystemId), {
    id: randomUUID(),
    url: new URL("https://receiver.example"),
    eventTypes: ["points.credited"],
  });
  expect(await read("points_webhook_lag_seconds")).toBe(0);
  expect((await fire()).status).toBe(200);
  await expect.poll(() => read("points_webhook_lag_seconds")).toBeGreaterThan(0.1);
  await other`update point_systems set deleted_at = now() where id = ${pointSystemId}`;
  expect(await read("points_webhook_lag_seconds")).toBe(0);
});

test("a statement that waits for a lock is counted", async () => {
  const holder = postgres({ ...database, max: 1 });
  const waiter = postgres({ ...database, max: 1 });
  await holder.unsafe("begin; lock table jobs in exclusive mode");
  const waits = waiter.unsafe("begin; lock table jobs in exclusive mode").execute();
  await expect.poll(() => read("points_database_lock_waits")).toBe(1);
  await holder.end({ timeout: 0 });
  await waits;
  await waiter.end();
});

test("without the database, the metrics of the process remain and say so", async () => {
  const options = getDatabaseOptions();
  expect(await read("points_database_scraped")).toBe(1);
  await closeDatabase();
  try {
    expect(await read("points_database_scraped")).toBe(0);
    expect(
      await read(`points_build_info{version="${RELEASE}",node="${process.versions.node}"}`),
    ).toBe(1);
  } finally {
    openDatabase(options);
  }
});

test("the dashboard and the alerts name metrics of this code, and headings of the runbook", async () => {
  collectProcessMetrics();
  const known = new Set(
    [...(await collect()).matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, kind]) =>
      kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const folder = "deploy/monitoring";
  const texts = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, "utf8"));
  const named = new Set(texts.join().match(/\b(?:points|nodejs|process)_\w+/g));
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
  const unseen = [...metrics.registry.getMetricsAsArray()].filter(
    ({ name }) => name.startsWith("points_") && ![...named].some((each) => each.startsWith(name)),
  );
  expect(unseen.map(({ name }) => name)).toEqual([]);
  const headings = new Set(
    [...readFileSync("docs/operating.md", "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll("'", "").replaceAll(" ", "-"),
    ),
  );
  const anchors = [...texts.join().matchAll(/operating\.md#([\w-]+)/g)].map(([, anchor]) => anchor);
  expect(anchors.filter((anchor) => !headings.has(anchor ?? ""))).toEqual([]);
});
