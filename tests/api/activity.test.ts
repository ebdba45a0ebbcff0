import { expect, test } from "vitest";
import { createAddress, scene } from "../support/scene";

const date = (minute: number) => new Date(Date.UTC(2026, 0, 2, 3, minute)).toISOString();

test("lists the events of a point system newest first, then by the higher id", async () => {
  const wallet = createAddress();
  const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
  const { get } = await scene({
    events: [
      { id: id(2), address: wallet, points: 1, event: "daily_login", date: date(5) },
      { id: id(3), address: wallet, points: 2, event: null, date: date(5) },
      { id: id(1), address: wallet, points: 3, event: "gone", date: date(9) },
      { id: id(4), address: wallet, points: 4, event: "daily_login", date: date(1) },
    ],
  });
  const { body } = await get("/activity");
  expect(body).toEqual({
    activity: [
      { id: id(1), address: wallet, points: 3, event: "gone", date: date(9) },
      { id: id(3), address: wallet, points: 2, event: null, date: date(5) },
      { id: id(2), address: wallet, points: 1, event: "daily_login", date: date(5) },
      { id: id(4), address: wallet, points: 4, event: "daily_login", date: date(1) },
    ],
    pagination: { page: 1, limit: 50, total: 4, totalPages: 1 },
  });
});

test("filters to one wallet, in any letter case; an unknown one has no events", async () => {
  const [one, two] = [createAddress(), createAddress()];
  const { get } = await scene({
    events: [
      { address: one, points: 1, date: date(1) },
      { address: two, points: 2, date: date(2) },
      { address: one, points: 3, date: date(3) },
    ],
  });
  const { body } = await get("/activity", { address: `0x${one.slice(2).toUpperCase()}` });
  expect(body.activity.map((event: { points: number }) => event.points)).toEqual([3, 1]);
  expect(body.pagination.total).toBe(2);
  expect((await get("/activity", { address: createAddress() })).body).toEqual({
    activity: [],
    pagination: { page: 1, limit: 50, total: 0, totalPages: 0 },
  });
});

test("keeps the past events of a wallet that was blacklisted since", async () => {
  const wallet = createAddress();
  const { get } = await scene({
    events: [{ address: wallet, points: 1 }],
    blacklist: [{ address: wallet }],
  });
  expect((await get("/activity")).body.pagination.total).toBe(1);
  expect((await get("/activity", { address: wallet })).body.activity).toHaveLength(1);
});

test("pages through everything once", async () => {
  const events = Array.from({ length: 23 }, (_, i) => ({
    address: createAddress(),
    points: i + 1,
    date: date(i),
  }));
  const { get } = await scene({ events });
  const seen: number[] = [];
  for (const page of ["1", "2", "3"]) {
    const { body } = await get("/activity", { page, limit: "10" });
    expect(body.pagination).toEqual({ page: Number(page), limit: 10, total: 23, totalPages: 3 });
    seen.push(...body.activity.map((event: { points: number }) => event.points));
  }
  expect(seen).toEqual(events.map(({ points }) => points).reverse());
  expect((await get("/activity", { page: "4", limit: "10" })).body.activity).toEqual([]);
});

test("credits of one millisecond keep the order of their ids", async () => {
  const { fire, get } = await scene();
  await Promise.all(Array.from({ length: 200 }, () => fire({ walletAddress: createAddress() })));
  const { activity } = (await get("/activity", { limit: "200" })).body;
  expect(activity).toHaveLength(200);
  const sorted = [...activity].sort((a, b) =>
    a.date === b.date ? (a.id < b.id ? 1 : -1) : a.date < b.date ? 1 : -1,
  );
  expect(activity).toEqual(sorted);
});

test("an address that is none answers 400", async () => {
  const { get } = await scene();
  expect(await get("/activity", { address: "x" })).toMatchObject({
    status: 400,
    body: { error: "Invalid address" },
  });
});

test("include=metadata adds the caller's data and time to each event, of a point system and of a wallet", async () => {
  const { fireBatch, fire, get, wallet, triggerKey } = await scene();
  const metadata = { order: "A-1", amount: 12.5, gift: true, note: '<b>"x"</b>', none: null };
  const occurredAt = new Date(Date.now() - 3_600_000).toISOString();
  const item = { triggerKey, walletAddress: wallet, metadata, occurredAt };
  await fireBatch({ items: [item] });
  await fire();
  for (const query of [{}, { address: wallet }]) {
    const { body: plain } = await get("/activity", query);
    const { body } = await get("/activity", { ...query, include: "metadata" });
    expect(body.pagination).toEqual(plain.pagination);
    expect(body.activity).toEqual([
      { ...plain.activity[0], metadata: null, occurredAt: null },
      { ...plain.activity[1], metadata, occurredAt },
    ]);
    // Without it, the answer has its documented fields, in their order.
    const names = ["id", "address", "points", "event", "date"];
    for (const event of plain.activity) expect(Object.keys(event)).toEqual(names);
  }
});

test("any other include answers 400, after the other parameters", async () => {
  const { get } = await scene();
  for (const include of ["x", "Metadata", "metadata,x"]) {
    expect(await get("/activity", { include })).toMatchObject({
      status: 400,
      body: { error: "Invalid include", message: "Invalid include", code: "invalid_include" },
    });
  }
  expect((await get("/activity", { include: "x", limit: "x" })).body.code).toBe("invalid_limit");
});
