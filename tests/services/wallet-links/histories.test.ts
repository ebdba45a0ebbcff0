import fc from "fast-check";
import { expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { Failure } from "../../../app/domain/failure";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { listActivity } from "../../../app/services/activity/activity";
import { createBoard } from "../../../app/services/board/boards";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { findWalletEntry, getWalletEntry } from "../../../app/services/board/wallets";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { undoImport } from "../../../app/services/imports/steps";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { registerWallet } from "../../../app/services/ledger/registrations";
import { findBalance, reverseSpend, spendPoints } from "../../../app/services/ledger/spending";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { atDepth } from "../../support/depth";
import { voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { findOwner, grant } from "../../support/operators";
import { expectExactNow } from "../../support/ranked-board";
import { scene } from "../../support/scene";
import { other } from "../../support/test-database";

const WALLETS = ["00", "02", "83", "fe", "ff"].map(
  (end): `0x${string}` => `0x${"5a".repeat(19)}${end}`,
);
const POINTS = [1, 16, 300, 511];

const wallet = fc.constantFrom(...WALLETS);
const points = fc.constantFrom(...POINTS);
const pair = { address: wallet, primaryAddress: wallet };
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const row = fc.record({ wallet, points });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind("credit"),
      calls: fc.array(row, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: kind("link"), ...pair }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("unlink"), wallet }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("void"), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("spend"), wallet, points }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("reverse"), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("grant"), wallet, points }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("file"), wallet, points, isBanned: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("register"), wallet }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("import"),
      rows: fc.uniqueArray(row, { minLength: 1, maxLength: 3, selector: (r) => r.wallet }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("undo"), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("ban"), wallet, isLinked: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("pardon"), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("season") }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind("fold"), entries: fc.constantFrom(1, 3, 5_000) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Wallet = `0x${string}`;

/** One credit of the model: the wallet that was named, the one that has its points, and whether it was voided. */
interface Credit {
  readonly id: string;
  readonly points: number;
  /** The wallet at which its event stands. */
  readonly at: Wallet;
  holder: Wallet;
  isVoided: boolean;
  readonly importId: string | null;
}

/** One spend of the model, and the wallet that bears it. */
interface Spend {
  readonly id: string;
  readonly points: number;
  bearer: Wallet;
  isReversed: boolean;
}

const KEY = { id: crypto.randomUUID() };

async function createWorld() {
  const { operator, pointSystemId, token } = await scene({
    triggers: POINTS.map((n) => ({ key: `points_${n}`, points: n })),
  });
  return {
    operator,
    pointSystemId,
    tokenHash: hashApiKeyToken(token),
    member: await findOwner(pointSystemId),
    credits: [] as Credit[],
    spends: [] as Spend[],
    links: new Map<Wallet, Wallet>(),
    banned: new Set<Wallet>(),
    imports: [] as string[],
    seasons: 0,
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** The wallet to which a credit of this one goes; null when it is refused. */
function resolve({ links, banned }: World, named: Wallet): Wallet | null {
  if (banned.has(named)) return null;
  const primary = links.get(named) ?? named;
  return banned.has(primary) ? null : primary;
}

/** Sums up what a wallet earned and spent. */
function balanceOf({ credits, spends }: World, address: Wallet) {
  const sum = (all: readonly { readonly points: number }[]) =>
    all.reduce((total, { points }) => total + points, 0);
  const earned = sum(credits.filter((one) => one.holder === address && !one.isVoided));
  const spent = sum(spends.filter((one) => one.bearer === address && !one.isReversed));
  return { earned, spent, balance: earned - spent };
}

async function spend(world: World, named: Wallet, points: number): Promise<void> {
  const { pointSystemId, spends } = world;
  const bearer = resolve(world, named);
  const balance = bearer === null ? 0 : balanceOf(world, bearer).balance - points;
  const call = { pointSystemId, walletAddress: named, points, reason: "Mug" };
  const spent = spendPoints(KEY, { ...call, idempotencyKey: null });
  if (bearer === null) expect(await tolerate(spent)).toBe("wallet_blacklisted");
  else if (balance < 0) expect(await tolerate(spent)).toBe("insufficient_points");
  else {
    const { id, balance: left } = await spent;
    expect(left).toBe(balance);
    spends.push({ id, points, bearer, isReversed: false });
  }
}

async function reverse(world: World, pick: number): Promise<void> {
  const { pointSystemId, spends } = world;
  const one = spends[pick % Math.max(1, spends.length)];
  if (!one) return;
  const isNew = !one.isReversed;
  one.isReversed = true;
  const reversal = await reverseSpend(KEY, pointSystemId, one.id);
  expect(reversal.points).toBe(one.points);
  // A repeated call gives the first answer.
  if (!isNew) return;
  const { bearer: address } = one;
  expect(reversal).toMatchObject({ address, balance: balanceOf(world, address).balance });
}

async function tolerate(work: Promise<unknown>): Promise<string | null> {
  return work.then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
      return error.code;
    },
  );
}

/** Answers the failure that a link must have, or null. */
function judgeLink({ links, banned }: World, address: Wallet, primary: Wallet): string | null {
  if (address === primary) return "wallets_same";
  if (links.has(address)) return "wallet_linked";
  if ([...links.values()].includes(address)) return "wallet_has_links";
  if (links.has(primary)) return "primary_linked";
  return banned.has(address) || banned.has(primary) ? "wallet_blacklisted" : null;
}

async function credit(world: World, calls: readonly { wallet: Wallet; points: number }[]) {
  const ids = calls.map(() => createEventId());
  const list = (of: (call: (typeof calls)[number]) => string) => toArrayLiteral(calls.map(of));
  const [answer] = await other<{ calls: number[]; verdicts: string[] }[]>`
    select calls, verdicts
    from credit_points(${world.pointSystemId}, array[${world.tokenHash}::bytea], ${list(() => "1")}::int[],
      ${list((c) => `points_${c.points}`)}::text[],
      ${toArrayLiteral(calls.map((c) => Buffer.from(c.wallet.slice(2), "hex")))}::bytea[],
      ${toArrayLiteral(ids)}::uuid[], '{}', '{}', '{}', '{}', '{}', '{}', 9007199254740991, null, false)`;
  for (const [i, call] of calls.entries()) {
    const at = resolve(world, call.wallet);
    const verdict = answer?.verdicts[answer.calls.indexOf(i + 1)];
    if (at === null) expect(verdict).toBe("wallet_blacklisted");
    // The limit of ten credits a minute counts on the primary wallet.
    else if (verdict !== "rate_limit_exceeded") {
      expect(verdict).toBe("credited");
      const id = ids[i] as string;
      world.credits.push({
        id,
        points: call.points,
        at,
        holder: at,
        isVoided: false,
        importId: null,
      });
    }
  }
}

/** The wallet to which a credit of a fixture file goes, which passes over the blacklist. */
const resolveInFile = ({ links, banned }: World, named: Wallet): Wallet =>
  banned.has(named) ? named : (links.get(named) ?? named);

/** Adds the events by hand since the last step to the model. */
async function noteByHand(
  world: World,
  named: readonly { wallet: Wallet; points: number }[],
  resolveNamed: (world: World, named: Wallet) => Wallet | null = resolve,
) {
  const events = await other<
    { id: string; address: Wallet; named: Wallet | null; points: number; importId: string | null }[]
  >`
    select id, '0x' || encode(address, 'hex') as address, '0x' || encode(named_address, 'hex') as named,
      points::float8 as points, import_id as "importId"
    from point_events
    where point_system_id = ${world.pointSystemId} and voids is null and moved_events is null and api_key_id is null
    order by seq`;
  const known = new Set(world.credits.map(({ id }) => id));
  const added = events.filter(({ id }) => !known.has(id));
  const expected = named.filter((one) => resolveNamed(world, one.wallet) !== null);
  const texts = (list: readonly { wallet: Wallet; points: number }[]) =>
    list.map((one) => `${one.wallet} ${one.points}`).sort();
  expect(texts(added.map((e) => ({ wallet: e.named ?? e.address, points: e.points })))).toEqual(
    texts(expected),
  );
  for (const { id, address, named: called, points, importId } of added) {
    expect(address).toBe(resolveNamed(world, called ?? address));
    world.credits.push({ id, points, at: address, holder: address, isVoided: false, importId });
  }
}

async function act(world: World, next: Step): Promise<void> {
  const { pointSystemId, member, credits, spends, links, banned, imports } = world;
  if (next.kind === "credit") await credit(world, next.calls);
  else if (next.kind === "link") {
    const { address, primaryAddress } = next;
    const expected = judgeLink(world, address, primaryAddress);
    expect(await tolerate(linkWallets(member, { address, primaryAddress }))).toBe(expected);
    if (expected !== null) return;
    links.set(address, primaryAddress);
    for (const one of credits) if (one.holder === address) one.holder = primaryAddress;
    for (const one of spends) if (one.bearer === address) one.bearer = primaryAddress;
  } else if (next.kind === "unlink") {
    const expected = links.has(next.wallet) ? null : "wallet_not_linked";
    expect(await tolerate(unlinkWallet(member, next.wallet))).toBe(expected);
    links.delete(next.wallet);
  } else if (next.kind === "void") {
    const one = credits[next.pick % Math.max(1, credits.length)];
    if (!one) return;
    const isSpent = balanceOf(world, one.holder).balance < one.points;
    const refusal = isSpent ? "points_are_spent" : null;
    const expected = one.isVoided ? "event_voided" : refusal;
    expect(await tolerate(voidById(member, one.id))).toBe(expected);
    one.isVoided ||= expected === null;
  } else if (next.kind === "spend") await spend(world, next.wallet, next.points);
  else if (next.kind === "reverse") await reverse(world, next.pick);
  else if (next.kind === "grant") {
    await tolerate(grant(member, next.wallet, next.points));
    await noteByHand(world, [next]);
  } else if (next.kind === "file") {
    const { points } = next;
    const address = (next.isBanned && [...banned].find((one) => links.has(one))) || next.wallet;
    const events = [{ id: crypto.randomUUID(), address, points, event: null }];
    await loadFixture({
      pointSystems: [{ operator: world.operator, id: pointSystemId, name: "Alpha", events }],
    });
    await noteByHand(world, [{ wallet: address, points }], resolveInFile);
  } else if (next.kind === "register") await tolerate(registerWallet(pointSystemId, next.wallet));
  else if (next.kind === "import") {
    const file = toCsv(next.rows.map((r) => [r.wallet, r.points] as const));
    await tolerate(commitFile(member, file).then((id) => imports.push(id)));
    await runImports();
    // Rows are credited in the order of the file.
    await noteByHand(world, next.rows);
  } else if (next.kind === "undo") {
    const id = imports[next.pick % Math.max(1, imports.length)];
    if (!id || (await tolerate(undoImport(member, id))) !== null) return;
    await runImports();
    for (const one of credits) if (one.importId === id) one.isVoided = true;
  } else if (next.kind === "ban") {
    const address = (next.isLinked && [...links.keys()].at(-1)) || next.wallet;
    await addToBlacklist(member, [{ address, reason: null }]);
    banned.add(address);
  } else if (next.kind === "pardon") {
    const address = [...banned][next.pick % Math.max(1, banned.size)];
    if (!address) return;
    await removeFromBlacklist(member, [address]);
    banned.delete(address);
    const primary = links.get(address);
    if (primary) for (const one of credits) if (one.holder === address) one.holder = primary;
  } else if (next.kind === "fold") await foldRanks(pointSystemId, next.entries);
  else await addSeason(world);
}

/** Adds a season that began before all events, so that it counts all of them. */
async function addSeason(world: World): Promise<void> {
  if (world.seasons === 3) return;
  const slug = `season-${world.seasons}`;
  const now = Date.now();
  await createBoard(world.member, {
    ...{ kind: "season", slug, name: slug, timeZone: "UTC", isPublic: true },
    season: { startsAt: new Date(now - 86_400_000), endsAt: new Date(now + 86_400_000) },
  });
  world.seasons += 1;
}

async function expectWorld(world: World): Promise<void> {
  const { pointSystemId, credits, links, banned, seasons } = world;
  const sums = new Map(WALLETS.map((address) => [address, { points: 0, events: 0 }]));
  for (const { holder, points, isVoided } of credits) {
    const sum = sums.get(holder);
    if (!sum || isVoided) continue;
    sum.points += points;
    sum.events += 1;
  }
  const onBoard = [...sums]
    .filter(([address, { points }]) => points > 0 && !banned.has(address))
    .sort(([a, x], [b, y]) => y.points - x.points || (a < b ? -1 : 1))
    .map(([address, sum], i) => ({ rank: i + 1, address, ...sum }));
  const request = { page: 1, limit: 10 };
  const { leaderboard } = await listLeaderboard(pointSystemId, request);
  expect(leaderboard.filter(({ points }) => points > 0)).toEqual(onBoard);
  for (const address of links.keys()) {
    expect(leaderboard.map((entry) => entry.address)).not.toContain(address);
  }
  for (let n = 0; n < seasons; n += 1) {
    const board = { key: `season-${n}`, label: null };
    expect((await listLeaderboard(pointSystemId, request, board)).leaderboard).toEqual(onBoard);
  }
  for (const address of WALLETS) {
    const holder = banned.has(address) ? address : (links.get(address) ?? address);
    const { points, events } = sums.get(holder) ?? { points: 0, events: 0 };
    // An undone import takes its entries along.
    expect((await findBalance(pointSystemId, address)) ?? balanceOf(world, holder)).toEqual(
      balanceOf(world, holder),
    );
    const entry = await findWalletEntry(pointSystemId, address);
    expect({ points: 0, events: 0, ...entry }).toMatchObject({ points, events });
    const rank = onBoard.find((one) => one.address === holder)?.rank;
    if (rank !== undefined) expect(entry).toEqual({ address, points, events, rank });
    if (rank !== undefined && seasons > 0) {
      const onSeason = await getWalletEntry(pointSystemId, address, {
        key: "season-0",
        label: null,
      });
      expect(onSeason).toEqual({ address, points, events, rank });
    }
    const { activity, pagination } = await listActivity(pointSystemId, address, {
      page: 1,
      limit: 100,
    });
    const listed = credits.filter(({ at, isVoided }) => at === address && !isVoided);
    expect(activity.map(({ id }) => id).sort()).toEqual(listed.map(({ id }) => id).sort());
    expect(pagination.total).toBe(listed.length);
  }
  const windows = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${pointSystemId}`;
  for (const { id } of [...windows, { id: pointSystemId }]) await expectExactNow(id);
}

test("after every step of any history, points and spends stand at the primary wallet, and the ledger adds up", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 26 }), async (steps) => {
      const world = await createWorld();
      await act(world, { kind: "season" });
      for (const next of steps) {
        await act(world, next);
        await expectWorld(world);
      }
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: atDepth(3, 24) },
  );
}, 300_000);
