import fc from "fast-check";
import postgres from "postgres";
import { afterAll, expect, inject, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { hashApiKeyToken } from "../../app/domain/api-key";
import { createEventId } from "../../app/domain/event-id";
import { Failure } from "../../app/domain/failure";
import { addToBlacklist, removeFromBlacklist } from "../../app/services/blacklist";
import { creditBatch } from "../../app/services/credits";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { listLeaderboard, listLeaderboardAround } from "../../app/services/leaderboard";
import { verifyLedger } from "../../app/services/ledger-verification";
import { getMember, type Member } from "../../app/services/members";
import {
  buildMissingRanks,
  foldRanks,
  foldWaitingRanks,
  rebuildRanks,
} from "../../app/services/rank-counts";
import { voidEvent } from "../../app/services/voids";
import { getWalletEntry } from "../../app/services/wallets";
import { grant, toActor } from "../operators";
import { scene } from "../scene";

// Addresses that share their first bytes, and points that tie or are a level of the counts apart.
const WALLETS = ["00", "01", "fe", "ff"].flatMap((first) =>
  ["00", "7f", "80", "ff"].map((last): `0x${string}` => `0x${first}${"55".repeat(18)}${last}`),
);
const POINTS = [1, 2, 15, 16, 255, 256, 1_000_000_000];

const wallet = fc.constantFrom(...WALLETS);
const points = fc.constantFrom(...POINTS);
const some = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
  fc.array(one, { minLength: 1, maxLength });
const DAY = fc.integer({ min: 1, max: 28 }).map((day) => new Date(Date.UTC(2026, 0, day)));

const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("credit" as const),
      calls: some(fc.record({ wallet, points }), 12),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("grant" as const), wallet, points }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("void" as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ban" as const), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pardon" as const), wallet }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("load" as const),
      events: fc.array(fc.record({ wallet, points, date: DAY }), { maxLength: 6 }),
      registered: fc.uniqueArray(wallet, { maxLength: 4 }),
      banned: fc.uniqueArray(wallet, { maxLength: 2 }),
    }),
  },
);
const upkeep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("fold" as const),
      entries: fc.constantFrom(1, 3, 7, 5_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rebuild" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const) }) },
);
type Step =
  | (typeof change extends fc.Arbitrary<infer T> ? T : never)
  | (typeof upkeep extends fc.Arbitrary<infer T> ? T : never);

const cluster = inject("cluster");
const [current] = await withDatabase((db) =>
  db.execute<{ database: string }>("select current_database() as database"),
);
/** Connections of somebody else's: another instance. */
const other = postgres({
  ...cluster,
  database: current?.database ?? "",
  max: 2,
  onnotice: () => {},
});
afterAll(() => other.end({ timeout: 1 }));

interface World {
  readonly pointSystemId: string;
  readonly tokenHash: Buffer;
  readonly operator: string;
  readonly member: Member<"owner">;
}

async function createWorld(): Promise<World> {
  const { pointSystemId, token, operator } = await scene({
    triggers: POINTS.map((n) => ({ key: `points_${n}`, points: n })),
  });
  const [row] = await other<{ id: string }[]>`select id from operators where email = ${operator}`;
  const actor = toActor({ id: row?.id ?? "", email: operator });
  const member = await getMember(actor, pointSystemId, "owner");
  return { pointSystemId, tokenHash: hashApiKeyToken(token), operator, member };
}

/** What a rule refuses is as good as not tried. */
async function tolerate(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
  });
}

async function act({ pointSystemId, tokenHash, operator, member }: World, step: Step) {
  if (step.kind === "credit") {
    await creditBatch(
      step.calls.map(({ wallet, points }) => ({
        triggerKey: `points_${points}`,
        walletAddress: wallet,
        pointSystemId,
        idempotencyKey: null,
        tokenHash,
        eventId: createEventId(),
      })),
    );
  } else if (step.kind === "grant") {
    await tolerate(grant(member, step.wallet, step.points));
  } else if (step.kind === "void") {
    const events = await other<{ id: string }[]>`
      select id from point_events where point_system_id = ${pointSystemId} and voids is null
      order by seq`;
    const event = events[step.pick % Math.max(1, events.length)];
    if (event) await tolerate(voidEvent(member, event.id, null));
  } else if (step.kind === "ban") {
    await addToBlacklist(member, [{ address: step.wallet, reason: null }]);
  } else if (step.kind === "pardon") {
    await removeFromBlacklist(member, [step.wallet]);
  } else if (step.kind === "load") {
    await loadFixture({
      pointSystems: [
        {
          operator,
          id: pointSystemId,
          name: "Alpha",
          events: step.events.map(({ wallet, points, date }) => ({
            id: createEventId(),
            address: wallet,
            points,
            event: null,
            date: date.toISOString(),
          })),
          wallets: step.registered,
          blacklist: step.banned.map((address) => ({ address })),
        },
      ],
    });
  } else if (step.kind === "fold") {
    await foldRanks(pointSystemId, step.entries);
  } else if (step.kind === "rebuild") {
    await rebuildRanks(pointSystemId);
  } else {
    await other.begin(async (tx) => {
      // Not in the midst of a rebuild, which would leave a cursor without counts.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`ranks:${pointSystemId}`}, 0))`;
      await tx`delete from rank_cursors where point_system_id = ${pointSystemId}`;
      await tx`delete from rank_counts where point_system_id = ${pointSystemId}`;
    });
  }
}

/** Compares with the sort of all wallets in one statement, so that others may write meanwhile. */
async function expectExactNow(pointSystemId: string): Promise<void> {
  const wrong = await other`
    with board as materialized (
      select address, points, row_number() over (order by points desc, address) as position
      from wallets where point_system_id = ${pointSystemId} and not is_blacklisted
    )
    select 'rank' as what, encode(address, 'hex') as address, points, position::text as should,
      rank_on_board(${pointSystemId}, points, address)::text as found
    from board where rank_on_board(${pointSystemId}, points, address) <> position
    union all
    select 'rank of a blacklisted one', encode(w.address, 'hex'), w.points, b.position::text,
      rank_on_board(${pointSystemId}, w.points, w.address)::text
    from wallets w cross join lateral (
      select 1 + count(*) as position from board b
      where b.points > w.points or (b.points = w.points and b.address < w.address)
    ) b
    where w.point_system_id = ${pointSystemId} and w.is_blacklisted
      and rank_on_board(${pointSystemId}, w.points, w.address) <> b.position
    union all
    select 'start', encode(s.prefix, 'hex'), s.points, e.ahead::text, s.ahead::text
    from board b
    cross join lateral find_board_start(${pointSystemId}, b.position - 1) s
    cross join lateral (
      select count(*) as ahead from board a
      where a.points > s.points or (a.points = s.points and a.address < s.prefix)
    ) e
    where s.ahead <> e.ahead or s.ahead > b.position - 1`;
  expect(wrong).toEqual([]);
}

/** Compares what the service answers, wallet by wallet and page by page. Nobody writes meanwhile. */
async function expectExact(pointSystemId: string, limit: number): Promise<void> {
  await expectExactNow(pointSystemId);
  const rows = await other<
    { address: `0x${string}`; points: number; events: number; is_blacklisted: boolean }[]
  >`
    select '0x' || encode(address, 'hex') as address, points::float8, events::float8, is_blacklisted
    from wallets where point_system_id = ${pointSystemId}`;
  const board = rows
    .filter((row) => !row.is_blacklisted)
    .sort((a, b) => b.points - a.points || (a.address < b.address ? -1 : 1))
    .map(({ address, points, events }, i) => ({ rank: i + 1, address, points, events }));
  const pages = Math.ceil(board.length / limit);
  for (let page = 1; page <= pages; page += 1) {
    const answer = await listLeaderboard(pointSystemId, { page, limit });
    const entries = board.slice((page - 1) * limit, page * limit);
    const pagination = { page, limit, total: board.length, totalPages: pages };
    expect(answer).toEqual({ leaderboard: entries, pagination });
    for (const entry of entries) {
      expect(await getWalletEntry(pointSystemId, entry.address)).toEqual(entry);
      expect(await listLeaderboardAround(pointSystemId, entry.address, limit)).toEqual(answer);
    }
  }
}

const RUNS = Number(process.env.MODEL_RUNS ?? 30);

test("after every step of any history, ranks and pages are those of the sorted wallets", async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: change },
    { weight: 2, arbitrary: upkeep },
  );
  await fc.assert(
    fc.asyncProperty(some(step, 14), fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
      const world = await createWorld();
      for (const next of steps) {
        await act(world, next);
        await expectExact(world.pointSystemId, limit);
      }
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 240_000);

test("at every moment between writers, folds and rebuilds at once, ranks are exact", async () => {
  const hands = fc.array(some(fc.oneof(change, upkeep), 8), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(hands, async (lists) => {
      const world = await createWorld();
      let isOver = false;
      const watch = async () => {
        while (!isOver) await expectExactNow(world.pointSystemId);
      };
      const work = async () => {
        await Promise.all(
          lists.map(async (steps) => {
            for (const next of steps) await act(world, next);
          }),
        );
      };
      const watched = watch();
      await work().finally(() => {
        isOver = true;
      });
      await watched;
      await expectExact(world.pointSystemId, 3);
      while ((await foldRanks(world.pointSystemId, 5)) > 0) {
        await expectExactNow(world.pointSystemId);
      }
      await rebuildRanks(world.pointSystemId);
      await expectExact(world.pointSystemId, 3);
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 240_000);

test("a fold that is killed halfway has done nothing, and the next one does all of it", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 256 })) });
  await grant(world.member, WALLETS[3] as `0x${string}`, 15);
  const victim = postgres({ ...cluster, database: current?.database ?? "", max: 1 });
  const [self] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const died = victim`select fold_ranks(${pointSystemId}, 5000), pg_sleep(60)`.then(
    () => "lived",
    () => "died",
  );
  const isAsleep = async () => {
    const [row] = await other`
      select from pg_stat_activity where pid = ${self?.pid ?? 0} and wait_event = 'PgSleep'`;
    return row !== undefined;
  };
  while (!(await isAsleep()));
  // Another one does not wait for it, and readers see nothing of it.
  expect(await foldRanks(pointSystemId)).toBe(0);
  await expectExact(pointSystemId, 4);
  await other`select pg_terminate_backend(${self?.pid ?? 0})`;
  expect(await died).toBe("died");
  await victim.end({ timeout: 1 });
  await expectExact(pointSystemId, 4);
  expect(await foldRanks(pointSystemId)).toBe(WALLETS.length + 1);
  await expectExact(pointSystemId, 4);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("pages deep in a large board go on where the ones before end, with much or nothing to count", async () => {
  const world = await createWorld();
  const { pointSystemId, operator } = world;
  const toHex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");
  const events = Array.from({ length: 2_500 }, (_, n) => ({
    address: `0x${toHex((n * 7_919) % 256, 2)}${toHex(n, 38)}`,
    points: n % 3 === 0 ? 10 : ((n * 31) % 900) + 1,
    event: null,
  }));
  await loadFixture({ pointSystems: [{ operator, id: pointSystemId, name: "Alpha", events }] });
  await rebuildRanks(pointSystemId);
  const board = await other<{ address: string }[]>`
    select '0x' || encode(address, 'hex') as address from wallets
    where point_system_id = ${pointSystemId} order by points desc, address`;
  const expectPages = async () => {
    for (const limit of [199, 200]) {
      for (let page = 1; page <= Math.ceil(2_500 / limit); page += 1) {
        const { leaderboard } = await listLeaderboard(pointSystemId, { page, limit });
        const start = (page - 1) * limit;
        expect(leaderboard.map(({ rank, address }) => ({ rank, address }))).toEqual(
          board
            .slice(start, start + limit)
            .map(({ address }, i) => ({ rank: start + i + 1, address })),
        );
      }
    }
  };
  await expectPages();
  // A tail that moves nothing in the end, but could have: a start is looked for further up.
  const [first] = board;
  for (let i = 0; i < 20; i += 1) {
    await addToBlacklist(world.member, [
      { address: first?.address as `0x${string}`, reason: null },
    ]);
    await removeFromBlacklist(world.member, [first?.address as `0x${string}`]);
  }
  await expectPages();
  await foldRanks(pointSystemId);
  await expectPages();
});

test("the worker counts whatever waits, of every point system", async () => {
  const worlds = await Promise.all([createWorld(), createWorld()]);
  for (const world of worlds) await grant(world.member, WALLETS[0] as `0x${string}`, 1);
  while (await foldWaitingRanks());
  const waiting = await other`
    select from rank_moves where point_system_id = any(${worlds.map((w) => w.pointSystemId)}::uuid[])`;
  expect(waiting.length).toBe(0);
});

test("events that move nobody on the board are not looked at again and again", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  const calls = [{ wallet: WALLETS[0] as `0x${string}`, points: 16 }];
  await act(world, { kind: "credit", calls });
  await act(world, { kind: "ban", wallet: WALLETS[0] as `0x${string}` });
  await act(world, { kind: "void", pick: 0 });
  await foldRanks(pointSystemId);
  const [row] = await other`
    select c.seq = (select max(e.seq) from point_events e where e.point_system_id = c.point_system_id)
      as "isAtEnd"
    from rank_cursors c where c.point_system_id = ${pointSystemId}`;
  expect(row).toEqual({ isAtEnd: true });
  await expectExact(pointSystemId, 4);
});

test("a point system from before there were ranks is counted until the worker has made its counts", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 16 })) });
  await act(world, { kind: "forget" });
  await grant(world.member, WALLETS[2] as `0x${string}`, 1);
  await expectExact(pointSystemId, 4);
  const countRanked = () => other`
    select from rank_cursors where point_system_id = ${pointSystemId}`;
  expect((await countRanked()).length).toBe(0);
  while (await buildMissingRanks());
  expect((await countRanked()).length).toBe(1);
  await expectExact(pointSystemId, 4);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("verification tells of counts that are not as the wallets are, and a rebuild rights them", async () => {
  const world = await createWorld();
  const { pointSystemId } = world;
  await act(world, {
    kind: "credit",
    calls: [{ wallet: WALLETS[0] as `0x${string}`, points: 16 }],
  });
  await foldRanks(pointSystemId);
  for (const level of [0, 7]) {
    await other`
      update rank_counts set wallets = wallets + 1
      where point_system_id = ${pointSystemId} and level = ${level}`;
    const { differences } = await verifyLedger();
    expect(differences.map(({ field }) => field.split("/")[0])).toContain(`rank count ${level}`);
    await rebuildRanks(pointSystemId);
    expect((await verifyLedger()).differences).toEqual([]);
  }
});
