import { expect, test } from "vitest";
import { findWalletEntry } from "../../../app/services/board/wallets";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { createOwner, failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { other } from "../../support/test-database";

test("a grant that comes while its point system is deleted finds nothing, and leaves no orphans", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const [row] = await other<{ name: string }[]>`
    select name from point_systems where id = ${pointSystemId}`;
  const grant = { address: createAddress(), points: 5, note: null };
  let hasLock = () => {};
  const locked = new Promise<void>((resolve) => {
    hasLock = resolve;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = writeLedger(pointSystemId, async () => {
    hasLock();
    await released;
  });
  await locked;
  // The deletion waits for the writer; a grant that waits as well comes after it, or is deleted too.
  let isDeleted = false;
  const deletion = deletePointSystem(owner, row?.name ?? "").then(() => {
    isDeleted = true;
  });
  const granted = grantPoints(owner, grant).then(
    () => "granted",
    (failure) => failure.code,
  );
  await other`select pg_sleep(0.3)`;
  expect(isDeleted).toBe(false);
  release();
  await Promise.all([holder, deletion]);
  expect(["granted", "not_found"]).toContain(await granted);
  while (await purgeDeletedPointSystem());
  expect((await failureOf(grantPoints(owner, grant))).code).toBe("not_found");
  const banned = addToBlacklist(owner, [{ address: grant.address, reason: null }]);
  expect((await failureOf(banned)).code).toBe("not_found");
  expect(await findWalletEntry(pointSystemId, grant.address)).toBeNull();
});
