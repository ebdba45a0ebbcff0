import { expect, test } from "vitest";
import { getImport } from "../../../app/services/imports/imports";
import { failAbandonedImports, runImportBatch } from "../../../app/services/imports/runner";
import { retryImport } from "../../../app/services/imports/steps";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import {
  purgeDeletedPointSystem,
  queueAbandonedRemovals,
} from "../../../app/services/point-systems/purge";
import { type JobWork, runQueuedJob } from "../../../app/services/runtime/job-queue";
import { commitFile, toCsv } from "../../support/imports";
import { createOwner, failureOf, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { other } from "../../support/test-database";

const context = { signal: new AbortController().signal, report: () => {} };
const work: JobWork = (key) => runImportBatch(key as never);
const ATTEMPTS_MAX = 9;

/** Runs the next import of the queue, whatever its rest. */
async function runNext(): Promise<void> {
  await other`update jobs set run_after = now() - interval '1 s' where state = 'retry'`;
  await runQueuedJob("run-import", work, context);
}

test("an import that always fails holds up no other, is shown as failed, and can be tried again", async () => {
  const [broken, fine] = [await createOwner(), await createOwner()];
  const file = toCsv([[createAddress(), 5]]);
  const brokenId = await commitFile(broken, file);
  await other`
    create or replace function refuse_import() returns trigger language plpgsql as $$
    begin raise exception 'no'; end $$`;
  await other.unsafe(`
    create or replace trigger refuse_import before insert on point_events for each row
      when (new.import_id = '${brokenId}') execute function refuse_import()`);
  await runNext();
  const fineId = await commitFile(fine, file);
  await runQueuedJob("run-import", work, context);
  expect((await getImport(fine, fineId)).status).toBe("committed");

  await failAbandonedImports();
  expect((await getImport(broken, brokenId)).failure).toBeNull();
  expect((await failureOf(retryImport(broken, brokenId))).code).toBe("import_moved_on");
  for (let attempt = 2; attempt <= ATTEMPTS_MAX; attempt += 1) await runNext();
  await failAbandonedImports();
  expect(await getImport(broken, brokenId)).toMatchObject({
    status: "committing",
    walletsDone: 0,
    failure: expect.stringContaining("failed repeatedly"),
  });

  await other`drop trigger refuse_import on point_events`;
  await retryImport(broken, brokenId);
  await runNext();
  expect(await getImport(broken, brokenId)).toMatchObject({ status: "committed", failure: null });
});

test("each deleted point system is removed by a job of its own, which is queued again when given up", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  await grant(owner, createAddress(), 5);
  const [row] = await other<{ name: string }[]>`
    select name from point_systems where id = ${pointSystemId}`;
  await deletePointSystem(owner, row?.name ?? "");
  await other`
    update jobs set state = 'failed' where queue = 'purge-point-system' and key = ${pointSystemId}`;
  await queueAbandonedRemovals();
  const taken: unknown[] = [];
  const run = async (data: unknown) => {
    taken.push(data);
    while (await purgeDeletedPointSystem((data as { id: string }).id));
  };
  while (await runQueuedJob("purge-point-system", run, context));
  expect(taken).toEqual([{ id: pointSystemId }]);
  const left = await other`
    select from point_systems where id = ${pointSystemId}
    union all select from point_events where point_system_id = ${pointSystemId}`;
  expect(left.length).toBe(0);
});
