import { expect, test } from "vitest";
import { createBoard, deleteBoard } from "../../app/services/board/boards";
import { verifyLedger } from "../../app/services/ledger/verify";
import { deletePointSystem } from "../../app/services/point-systems/point-systems";
import { JOBS, SERVER_JOBS } from "../../app/worker/jobs";
import { commitFile, toCsv } from "../support/imports";
import { createOwner, findOwner, grant } from "../support/operators";
import { createAddress, scene } from "../support/scene";

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
    await run(report).catch((error: unknown) => failures.push(`${name}: ${error}`));
  }
  expect(failures).toEqual([]);
  expect((await verifyLedger()).differences).toEqual([]);
});
