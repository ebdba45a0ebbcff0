import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect } from "vitest";
import { hashApiKeyToken } from "../../app/domain/access/api-key";
import { Failure } from "../../app/domain/failure";
import { createEventId } from "../../app/domain/ledger/event-id";
import { getMember, type Member } from "../../app/services/access/members";
import { listLeaderboard, listLeaderboardAround } from "../../app/services/board/leaderboard";
import { foldRanks, rebuildRanks } from "../../app/services/board/rank-counts";
import { getWalletEntry } from "../../app/services/board/wallets";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { addToBlacklist, removeFromBlacklist } from "../../app/services/ledger/blacklist";
import { creditOrders } from "../../app/services/ledger/credit-statement";
import { voidById } from "./events";
import { grant, toActor } from "./operators";
import { scene } from "./scene";
import { other, readAtOnce } from "./test-database";

// Addresses that share their first bits, in both halves, and points that tie or differ by a band or
// a level of the counts.
export const WALLETS = ["00", "02", "83", "fc", "ff"].flatMap((first) =>
  ["00", "7f", "80", "ff"].map((last): `0x${string}` => `0x${first}${"55".repeat(18)}${last}`),
);
const POINTS = [1, 2, 16, 31, 255, 256, 511, 512, 600, 1_000, 1_000_000_000];

const wallet = fc.constantFrom(...WALLETS);
const points = fc.constantFrom(...POINTS);
export const some = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
  fc.array(one, { minLength: 1, maxLength });
const DAY = fc.integer({ min: 1, max: 28 }).map((day) => new Date(Date.UTC(2026, 0, day)));

export const change = fc.oneof(
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
export const upkeep = fc.oneof(
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
export type Step =
  | (typeof change extends fc.Arbitrary<infer T> ? T : never)
  | (typeof upkeep extends fc.Arbitrary<infer T> ? T : never);

interface World {
  readonly pointSystemId: string;
  readonly tokenHash: Buffer;
  readonly operator: string;
  readonly member: Member<"owner">;
}

export async function createWorld(): Promise<World> {
  const { pointSystemId, token, operator } = await scene({
    triggers: POINTS.map((n) => ({ key: `points_${n}`, points: n })),
  });
  const [row] = await other<{ id: string }[]>`select id from operators where email = ${operator}`;
  const actor = toActor({ id: row?.id ?? "", email: operator });
  const member = await getMember(actor, pointSystemId, "owner");
  return { pointSystemId, tokenHash: hashApiKeyToken(token), operator, member };
}

/** Ignores a refusal: a refused step has no effect. */
async function tolerate(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
  });
}

export async function act({ pointSystemId, tokenHash, operator, member }: World, step: Step) {
  if (step.kind === "credit") {
    const calls = step.calls.map(({ wallet, points }) => ({
      triggerKey: `points_${points}`,
      walletAddress: wallet,
      idempotencyKey: null,
      points: null,
      areFixedPointsStrict: false,
      occurredAt: null,
      metadata: null,
      eventId: createEventId(),
    }));
    await creditOrders([{ pointSystemId, tokenHash, calls, isAtomic: false, isUncertain: false }], {
      connection: 0,
      endsAtMs: performance.now() + 60_000,
    });
  } else if (step.kind === "grant") {
    await tolerate(grant(member, step.wallet, step.points));
  } else if (step.kind === "void") {
    const events = await other<{ id: string }[]>`
      select id from point_events where point_system_id = ${pointSystemId} and voids is null
      order by seq`;
    const event = events[step.pick % Math.max(1, events.length)];
    if (event) await tolerate(voidById(member, event.id, null));
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
      // The lock prevents a rebuild meanwhile, which would leave a cursor without counts.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`ranks:${pointSystemId}`}, 0))`;
      await tx`delete from rank_cursors where point_system_id = ${pointSystemId}`;
      await tx`delete from rank_counts where point_system_id = ${pointSystemId}`;
    });
  }
}

/** Compares with a sort of all wallets in one statement, so that others may write meanwhile. */
export async function expectExactNow(pointSystemId: string): Promise<void> {
  const wrong = await readAtOnce(sql`
    with board as materialized (
      select address, points, row_number() over (order by points desc, address) as position
      from wallets where point_system_id = ${pointSystemId} and not is_blacklisted
    )
    select 'rank' as what, encode(address, 'hex') as address, points, position::text as should,
      rank_on_board(${pointSystemId}, points, address)::text as found
    from board where rank_on_board(${pointSystemId}, points, address) <> position
    union all
    select 'rank in the statement of a key', encode(b.address, 'hex'), b.points, b.position::text, (1 + a.wallets)::text
    from board b join point_systems p on p.id = ${pointSystemId}
    cross join lateral sum_wallets_ahead(p.id, b.points, b.address, true) a
    where 1 + a.wallets <> b.position
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
    where s.ahead <> e.ahead or s.ahead > b.position - 1
    union all
    select 'totals', null, null, counted::text, totals::text from (
      select row(t.wallets, t.blacklisted_wallets, t.events) as totals,
        (select row(count(*), count(*) filter (where is_blacklisted), coalesce(sum(events), 0)::bigint)
          from wallets where point_system_id = ${pointSystemId}) as counted
      from read_totals(${pointSystemId}) t
    ) t
    where totals <> counted`);
  expect(wrong).toEqual([]);
}

/**
 * Compares the service's answers for each wallet and each page. No other writes may run meanwhile.
 */
export async function expectExact(pointSystemId: string, limit: number): Promise<void> {
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
