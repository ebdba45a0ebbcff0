import { expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import type { Address } from "../../../app/domain/address";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

const toBytes = (address: string) => Buffer.from(address.slice(2), "hex");

/** Finds where the wallets stand, as a batch does that waits. */
async function findPlaces(pointSystemId: string, addresses: readonly string[]) {
  const [row] = await other<{ places: string }[]>`
    select find_wallet_places(${pointSystemId}, ${toArrayLiteral(addresses.map(toBytes))}::bytea[])::text as places`;
  return row?.places ?? "{}";
}

test("wherever the wallets of calls were found, each is credited as it stands under the lock", async () => {
  const addresses = Array.from({ length: 7 }, createAddress);
  const [moved, listed, atAnother, opened, still, unknown, inPlace] = addresses as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
  ];
  const { pointSystemId, token, triggerKey, fire, pointsOf } = await scene({
    events: [moved, listed, atAnother, still, inPlace].map((address) => ({ address, points: 5 })),
  });
  const found = await findPlaces(pointSystemId, [
    moved,
    listed,
    still,
    opened,
    moved,
    unknown,
    inPlace,
  ]);
  const places = found.split(/(?<=\)"),|(?<=NULL),/);
  expect(places).toHaveLength(7);
  places[4] = `"(999999,1)"`;
  await fire({ walletAddress: moved });
  await fire({ walletAddress: opened });
  await addToBlacklist(await findOwner(pointSystemId), [{ address: listed, reason: null }]);
  const list = (of: (address: string) => string | Buffer) => toArrayLiteral(addresses.map(of));
  const [answer] = await other<{ verdicts: string[] }[]>`
    select verdicts from credit_points(${pointSystemId}, array[${hashApiKeyToken(token)}::bytea], ${list(() => "1")}::int[],
      ${list(() => triggerKey)}::text[], ${list(toBytes)}::bytea[], ${list(() => createEventId())}::uuid[],
      '{}', '{}', '{}', '{}', '{}', '{}', 9007199254740991, null, false, ${places.join()}::text::tid[])`;
  expect(answer?.verdicts).toEqual(
    addresses.map((address) => (address === listed ? "wallet_blacklisted" : "credited")),
  );
  expect(await Promise.all(addresses.map(pointsOf))).toEqual([25, 5, 15, 20, 15, 10, 15]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("large batches at once, whose wallets are found while they wait, credit each wallet once for each", async () => {
  const WALLETS = 200;
  const BATCHES = 8;
  const { triggerKey, fireBatch, fire, pointsOf } = await scene();
  const wallets = Array.from({ length: WALLETS }, createAddress);
  const batches = Array.from({ length: BATCHES }, (_, n) =>
    fireBatch({
      items: [...wallets.slice(n), ...wallets.slice(0, n)].map((walletAddress) => ({
        triggerKey,
        walletAddress,
      })),
    }),
  );
  const single = fire({ walletAddress: wallets[0] });
  for (const { body } of await Promise.all(batches))
    expect(body).toMatchObject({ credited: WALLETS });
  expect((await single).status).toBe(200);
  expect(await pointsOf(wallets[0] ?? "")).toBe(10 * (BATCHES + 1));
  expect(await pointsOf(wallets[WALLETS - 1] ?? "")).toBe(10 * BATCHES);
  expect((await verifyLedger()).differences).toEqual([]);
});
