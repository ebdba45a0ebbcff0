import { expect, test } from "vitest";
import { createBoard, deleteBoard } from "../../app/services/board/boards";
import { turnIdempotencyRecords } from "../../app/services/ledger/idempotency-records";
import { verifyLedger } from "../../app/services/ledger/verify";
import { deletePointSystem } from "../../app/services/point-systems/point-systems";
import { JOBS, SERVER_JOBS } from "../../app/worker/jobs";
import { commitFile, toCsv } from "../support/imports";
import { createOwner, findOwner, grant } from "../support/operators";
import { createAddress, scene } from "../support/scene";
import { other } from "../support/test-database";

test("every job of the worker and of a server runs, with something to do and without", async () => {
  const { pointSystemId, fire } = await scene();
  const owner = await findOwner(pointSystemId);
  const season = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };
  const board = { kind: "season", slug: "one", name: "One", timeZone: "UTC", isPublic: true };
  await createBoard(owner, { ...board, kind: "season", season });
  for (let n = 0; n < 3; n += 1) await fire({ walletAddress: createAddress() });
  await grant(owner, createAddress(), 5);
  await commitFile(owner, toCsv([[createAddress(), 5]]));
  await createBoard(owner, { ...board, kind: "season", slug: "two", season });
  await deleteBoard(owner, "two");
  const gone = await createOwner();
  await grant(gone, createAddress(), 5);
  await deletePointSystem(gone, "Alpha");

  const failures: unknown[] = [];
  const report = (error: unknown) => failures.push(error);
  for (const { name, run } of [...SERVER_JOBS, ...JOBS, ...SERVER_JOBS, ...JOBS]) {
    await run(report, new AbortController().signal).catch((error: unknown) =>
      failures.push(`${name}: ${error}`),
    );
  }
  expect(failures).toEqual([]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("idempotency records are removed some pages at a time once they are older than was promised, and others stay", async () => {
  const { pointSystemId, fire } = await scene();
  const fireOf = (key: string) =>
    fire({ walletAddress: createAddress() }, { "Idempotency-Key": key });
  await fireOf("before");
  // 30,000 of them take more than the pages of one step.
  await other`
    insert into idempotency_records
    select point_system_id, decode(md5(n::text), 'hex'), request, points, created_at
    from idempotency_records cross join generate_series(1, 30000) n where point_system_id = ${pointSystemId}`;
  for (const table of ["idempotency_records", "idempotency_records_before"]) {
    await other.unsafe(`update ${table} set created_at = now() - interval '31 days'`);
  }
  await fireOf("after");
  const remove = async () => {
    await other`update idempotency_turns set began_at = now() - interval '25 hours'`;
    let steps = 1;
    for (; await turnIdempotencyRecords(); steps += 1);
    const [left] = await other`
      select count(*)::int as records from idempotency_records where point_system_id = ${pointSystemId}`;
    return { steps, left: left?.records };
  };
  const removed = await remove();
  expect(removed.left).toBe(1);
  expect(removed.steps).toBeGreaterThan(1);
  expect(await turnIdempotencyRecords()).toBe(false);
  const again = await fireOf("after");
  expect((await remove()).left).toBe(1);
  expect(again.status).toBe(409);
});
