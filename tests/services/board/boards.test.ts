import fc from "fast-check";
import { expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import type { BoardReference } from "../../../app/domain/board/board-reference";
import { Failure } from "../../../app/domain/failure";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { createBoard, deleteBoard, endBoard } from "../../../app/services/board/boards";
import { listLeaderboard, listLeaderboardAround } from "../../../app/services/board/leaderboard";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { getWalletEntry } from "../../../app/services/board/wallets";
import { undoImport } from "../../../app/services/imports/steps";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { atDepth } from "../../support/depth";
import { voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { takeClock } from "../../support/moved-clock";
import { findOwner, grant } from "../../support/operators";
import { expectExactNow } from "../../support/ranked-board";
import { scene } from "../../support/scene";
import { other } from "../../support/test-database";
import { labelWindow } from "../../support/window-label";

const WALLETS = ["00", "02", "83", "ff"].map((end): `0x${string}` => `0x${"5a".repeat(19)}${end}`);
const POINTS = [1, 16, 300, 511];
const HOUR_MS = 3_600_000;
/** Two days before the clocks of Berlin go forward, in a week that ends with a month nearly over. */
const START = new Date("2026-03-27T20:00:00Z");
const ZONES = { daily: "America/Havana", weekly: "Europe/Berlin", monthly: "UTC" } as const;
type Repeating = keyof typeof ZONES;

const clock = takeClock();

const wallet = fc.constantFrom(...WALLETS);
const points = fc.constantFrom(...POINTS);
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind("credit"),
      calls: fc.array(fc.record({ wallet, points }), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind("grant"), wallet, points }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("void"), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("import"),
      rows: fc.uniqueArray(fc.record({ wallet, points }), {
        minLength: 1,
        maxLength: 3,
        selector: (r) => r.wallet,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("undo"), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("ban"), wallet }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("pardon"), wallet }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind("fold"), entries: fc.constantFrom(1, 3, 5_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("wait"), hours: fc.constantFrom(1, 5, 20, 26, 200) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind("season"),
      fromHours: fc.constantFrom(-400, -30, -1, 0, 3),
      hours: fc.constantFrom(2, 29, 500),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("repeat"),
      board: fc.constantFrom<Repeating>("daily", "weekly", "monthly"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("end"), pick: fc.nat() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelBoard {
  readonly reference: BoardReference;
  /** Answers whether a time lies in the window. */
  readonly holds: (time: Date) => boolean;
  /** The end of the window, once it is fixed. */
  endsAt: number;
  /** The answer from the end on. */
  frozen: readonly object[] | null;
}

const toLabel = (time: Date, board: Repeating) => labelWindow(time, board, ZONES[board]);

async function createWorld() {
  const { set } = await clock;
  const { pointSystemId, token } = await scene({
    triggers: POINTS.map((n) => ({ key: `points_${n}`, points: n })),
  });
  const member = await findOwner(pointSystemId);
  await set(START);
  return {
    pointSystemId,
    tokenHash: hashApiKeyToken(token),
    member,
    boards: new Map<string, ModelBoard>(),
    imports: [] as string[],
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

async function credit(
  { pointSystemId, tokenHash }: World,
  calls: readonly { wallet: string; points: number }[],
) {
  const { sql } = await clock;
  const list = (of: (call: (typeof calls)[number]) => string) => toArrayLiteral(calls.map(of));
  await sql`
    select from credit_points(${pointSystemId}, array[${tokenHash}::bytea], ${list(() => "1")}::int[],
      ${list((c) => `points_${c.points}`)}::text[],
      ${toArrayLiteral(calls.map((c) => Buffer.from(c.wallet.slice(2), "hex")))}::bytea[],
      ${list(() => createEventId())}::uuid[], '{}', '{}', '{}', '{}', '{}', '{}', 9007199254740991, null, false)`;
}

/** Ignores a refusal: a refused step has no effect. */
async function tolerate(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
      return false;
    },
  );
}

async function act(world: World, step: Step): Promise<void> {
  const { pointSystemId, member, boards, imports } = world;
  if (step.kind === "credit") await credit(world, step.calls);
  else if (step.kind === "grant") await tolerate(grant(member, step.wallet, step.points));
  else if (step.kind === "ban")
    await addToBlacklist(member, [{ address: step.wallet, reason: null }]);
  else if (step.kind === "pardon") await removeFromBlacklist(member, [step.wallet]);
  else if (step.kind === "fold") await foldRanks(pointSystemId, step.entries);
  else if (step.kind === "void") {
    const events = await other<{ id: string }[]>`
      select id from point_events where point_system_id = ${pointSystemId} and voids is null order by seq`;
    const event = events[step.pick % Math.max(1, events.length)];
    if (event) await tolerate(voidById(member, event.id));
  } else if (step.kind === "import") {
    const rows = step.rows.map((row) => [row.wallet, row.points] as const);
    // A file of blacklisted wallets alone is refused.
    await tolerate(commitFile(member, toCsv(rows)).then((id) => imports.push(id)));
    await runImports();
  } else if (step.kind === "undo") {
    const id = imports[step.pick % Math.max(1, imports.length)];
    if (id) {
      await tolerate(undoImport(member, id));
      await runImports();
    }
  } else if (step.kind === "wait") {
    const to = (await (await clock).read()).getTime() + step.hours * HOUR_MS;
    // What ends meanwhile is frozen as it stands now.
    for (const board of boards.values()) {
      if (board.endsAt <= to) board.frozen ??= await expectedOf(world, board);
    }
    await (await clock).set(new Date(to));
  } else if (step.kind === "season") await addSeason(world, step);
  else if (step.kind === "repeat") await addRepeating(world, step.board);
  else await end(world, step.pick);
}

async function addSeason(world: World, { fromHours, hours }: Extract<Step, { kind: "season" }>) {
  const { member, boards } = world;
  const now = (await (await clock).read()).getTime();
  const startsAt = new Date(now + fromHours * HOUR_MS);
  const endsAt = new Date(startsAt.getTime() + hours * HOUR_MS);
  const slug = `season-${boards.size}`;
  const season = { startsAt, endsAt };
  const shared = { name: slug, timeZone: "UTC", isPublic: true };
  const isAdded = await tolerate(createBoard(member, { kind: "season", slug, ...shared, season }));
  if (!isAdded) return;
  const holds = (time: Date) => startsAt <= time && time < endsAt;
  const board = { reference: { key: slug, label: null }, holds, endsAt: endsAt.getTime() };
  // One that has ended before its creation is frozen from the start.
  const frozen = board.endsAt <= now ? await expectedOf(world, { ...board, frozen: null }) : null;
  boards.set(slug, { ...board, frozen });
}

async function addRepeating(world: World, board: Repeating) {
  const shared = { name: board, timeZone: ZONES[board], isPublic: true };
  const added = createBoard(world.member, { kind: board, slug: null, ...shared, season: null });
  if (await tolerate(added)) await noteWindow(world, board);
}

/** Adds the present window of a repeating board to the model. */
async function noteWindow({ boards, pointSystemId }: World, board: Repeating) {
  const now = await (await clock).read();
  const label = toLabel(now, board);
  const key = `${board}:${label}`;
  const [row] = await other<{ endedAt: Date | null }[]>`
    select ended_at as "endedAt" from boards where point_system_id = ${pointSystemId} and kind = ${board}`;
  if (!row || row.endedAt || boards.has(key)) return;
  const holds = (time: Date) => toLabel(time, board) === label;
  let endsAt = now.getTime();
  while (holds(new Date(endsAt))) endsAt += HOUR_MS / 2;
  endsAt = Math.floor(endsAt / (HOUR_MS / 2)) * (HOUR_MS / 2);
  boards.set(key, { reference: { key: `:${board}`, label }, holds, endsAt, frozen: null });
}

async function end(world: World, pick: number) {
  const open = [...world.boards.values()].filter((board) => board.frozen === null);
  const board = open[pick % Math.max(1, open.length)];
  if (!board) return;
  const expected = await expectedOf(world, board);
  if (await tolerate(endBoard(world.member, board.reference.key))) board.frozen = expected;
}

/** Computes a board from the events, and the blacklist of now. */
async function expectedOf({ pointSystemId }: World, { holds, frozen }: ModelBoard) {
  if (frozen) return frozen;
  const events = await other<{ address: string; points: number; at: Date; voidsAt: Date | null }[]>`
    select '0x' || encode(address, 'hex') as address, points::float8 as points, created_at as at,
      voids_created_at as "voidsAt"
    from point_events where point_system_id = ${pointSystemId}`;
  const banned = new Set(
    (
      await other<{ address: string }[]>`
      select '0x' || encode(address, 'hex') as address from blacklist where point_system_id = ${pointSystemId}`
    ).map(({ address }) => address),
  );
  const sums = new Map<string, { points: number; events: number }>();
  for (const { address, points, at, voidsAt } of events) {
    if (!holds(at) || (voidsAt && !holds(voidsAt)) || banned.has(address)) continue;
    const sum = sums.get(address) ?? { points: 0, events: 0 };
    sums.set(address, { points: sum.points + points, events: sum.events + (voidsAt ? -1 : 1) });
  }
  return [...sums]
    .filter(([, sum]) => sum.points > 0)
    .sort(([a, x], [b, y]) => y.points - x.points || (a < b ? -1 : 1))
    .map(([address, sum], i) => ({ rank: i + 1, address, ...sum }));
}

async function expectBoards(world: World): Promise<void> {
  const { pointSystemId, boards } = world;
  for (const board of ["daily", "weekly", "monthly"] as const) await noteWindow(world, board);
  for (const [name, board] of boards) {
    const expected = await expectedOf(world, board);
    const page = await listLeaderboard(pointSystemId, { page: 1, limit: 3 }, board.reference);
    expect({ name, ...page }).toMatchObject({
      name,
      leaderboard: expected.slice(0, 3),
      pagination: { total: expected.length },
    });
    for (const entry of expected as { address: `0x${string}`; rank: number }[]) {
      expect(await getWalletEntry(pointSystemId, entry.address, board.reference)).toEqual(entry);
      const around = await listLeaderboardAround(pointSystemId, entry.address, 2, board.reference);
      expect(around.leaderboard).toContainEqual(entry);
    }
  }
  const windows = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${pointSystemId}`;
  for (const { id } of [...windows, { id: pointSystemId }]) await expectExactNow(id);
}

test("after every step of any history, each board is what its events add up to, and past windows stay", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const world = await createWorld();
      await act(world, { kind: "repeat", board: "weekly" });
      await act(world, { kind: "season", fromHours: 0, hours: 29 });
      for (const next of steps) {
        await act(world, next);
        await expectBoards(world);
      }
      expect((await verifyLedger()).differences).toEqual([]);
      for (const { reference } of world.boards.values()) {
        await tolerate(deleteBoard(world.member, reference.key));
      }
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: atDepth(3, 24) },
  );
}, 300_000);
