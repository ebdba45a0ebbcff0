import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { Failure } from "../../../app/domain/failure";
import type { Member } from "../../../app/services/access/members";
import { createBoard, deleteBoard, endBoard } from "../../../app/services/board/boards";
import { buildAllocation } from "../../../app/services/campaigns/build/build";
import { digestTerms, getCampaign } from "../../../app/services/campaigns/campaigns";
import { previewSplit } from "../../../app/services/campaigns/preview";
import { startSplit } from "../../../app/services/campaigns/splits";
import { cancelCampaign, createDraft, publish } from "../../../app/services/campaigns/steps";
import { getEligibility } from "../../../app/services/campaigns/wallets";
import { undoImport } from "../../../app/services/imports/steps";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { reverseSpendByHand, spendPoints } from "../../../app/services/ledger/spending";
import { listPointsChoices } from "../../../app/services/rewards/points-choice";
import { listRewardsOfWallet } from "../../../app/services/rewards/rewards";
import { createActive, describeDraft, failSplit } from "../../support/campaign-drafts";
import { atDepth } from "../../support/depth";
import { voidById } from "../../support/events";
import { commitFile, runImports, toCsv } from "../../support/imports";
import { codeOf, createOwner, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { other } from "../../support/test-database";

type Owner = Member<"owner">;

const DAY_MS = 86_400_000;

/** Creates a season that began yesterday and ends tomorrow. */
async function createSeason(owner: Owner, slug = "spring"): Promise<void> {
  await createBoard(owner, {
    kind: "season",
    slug,
    name: "Spring",
    timeZone: "UTC",
    isPublic: true,
    season: { startsAt: new Date(Date.now() - DAY_MS), endsAt: new Date(Date.now() + DAY_MS) },
  });
}

async function createWallets(owner: Owner, points: readonly number[]): Promise<Address[]> {
  const addresses = points.map(() => createAddress());
  for (const [i, own] of points.entries()) await grant(owner, addresses[i] as Address, own);
  return addresses;
}

async function split(owner: Owner, id: string): Promise<void> {
  await startSplit(owner, id, null);
  await build(owner, id);
}

async function build(owner: Owner, id: string): Promise<void> {
  const { rounds } = await getCampaign(owner, id);
  const round = rounds.at(-1)?.round ?? 0;
  await buildAllocation({ pointSystemId: owner.pointSystemId, rewardId: id, round });
}

/** Reads the points that a campaign counted, by wallet. */
async function listCounted(id: string): Promise<Map<string, number>> {
  const rows = await other<{ address: string; points: number }[]>`
    select '0x' || encode(address, 'hex') as address, points::float8 as points
    from distributions where reward_id = ${id}`;
  return new Map(rows.map(({ address, points }) => [address, points]));
}

test("a board counts as it stood at its end, but a wallet that is blacklisted since gets nothing", async () => {
  const owner = await createOwner();
  const [one, two, three, four] = (await createWallets(owner, [10, 20, 30, 5])) as [
    Address,
    Address,
    Address,
    Address,
  ];
  await createSeason(owner);
  const { id } = await createDraft(
    owner,
    describeDraft({ minPoints: 10, pointsCounted: "season:spring" }),
  );
  const terms = digestTerms(await getCampaign(owner, id));
  expect(await codeOf(publish(owner, id, terms))).toBe("points_board_open");
  await endBoard(owner, "spring");
  await publish(owner, id, terms);
  await grant(owner, one, 500);
  await grant(owner, four, 500);
  await grant(owner, createAddress(), 70);
  await addToBlacklist(owner, [{ address: two, reason: null }]);
  const campaign = await getCampaign(owner, id);
  expect(await previewSplit(owner, campaign)).toMatchObject({
    wallets: 2,
    totalWeight: 40n,
    excluded: { belowMinimum: 1, withoutPoints: 0, blacklisted: 1 },
    largest: [
      { address: three, points: 30 },
      { address: one, points: 10 },
    ],
  });
  expect(await getEligibility(owner, campaign, four)).toMatchObject({ kind: "below", points: 5 });
  const asked = await listRewardsOfWallet(owner.pointSystemId, four);
  expect(asked).toMatchObject({
    totalPoints: 505,
    eligible: [],
    unavailable: [{ pointsNeeded: 5 }],
  });
  await split(owner, id);
  expect(await listCounted(id)).toEqual(
    new Map(
      [
        [one, 10],
        [three, 30],
      ].sort() as never,
    ),
  );
});

test("a board that ended without a writer since is closed by the publication", async () => {
  const owner = await createOwner();
  const [wallet] = await createWallets(owner, [10]);
  await createSeason(owner);
  await other`
    update board_windows set ends_at = statement_timestamp() where point_system_id = ${owner.pointSystemId}`;
  const { id } = await createActive(owner, { pointsCounted: "season:spring" });
  await grant(owner, wallet as Address, 5);
  await split(owner, id);
  expect([...(await listCounted(id)).values()]).toEqual([10]);
});

test("a board or campaign that is not there is refused, and a deleted board splits nothing", async () => {
  const owner = await createOwner();
  const stranger = await createOwner();
  await createWallets(owner, [10]);
  await createSeason(owner);
  const foreign = await createActive(stranger);
  const draft = await createDraft(owner, describeDraft());
  const choose = (pointsCounted: string) =>
    codeOf(createDraft(owner, describeDraft({ pointsCounted })));
  expect(await choose("season:autumn")).toBe("board_not_found");
  expect(await choose("weekly:2026-W01")).toBe("board_not_found");
  for (const id of [foreign.id, draft.id]) expect(await choose(id)).toBe("points_campaign_unknown");
  await endBoard(owner, "spring");
  const { id } = await createActive(owner, { pointsCounted: "season:spring" });
  const late = await createActive(owner, { pointsCounted: "season:spring" });
  await startSplit(owner, late.id, null);
  await deleteBoard(owner, "spring");
  expect(await codeOf(startSplit(owner, id, null))).toBe("board_not_found");
  await build(owner, late.id);
  expect((await getCampaign(owner, late.id)).rounds).toMatchObject([
    { status: "failed", failure: "The board whose points it counts was deleted." },
  ]);
});

test("two splits of a family at once count no point twice", async () => {
  const owner = await createOwner();
  await createWallets(owner, [10, 20, 30]);
  const first = await createActive(owner);
  const second = await createActive(owner, { pointsCounted: first.id });
  await Promise.all([first, second].map(({ id }) => startSplit(owner, id, null)));
  await Promise.all([first, second].map(({ id }) => build(owner, id)));
  const sizes = await Promise.all(
    [first, second].map(async ({ id }) => (await listCounted(id)).size),
  );
  expect(sizes.sort()).toEqual([0, 3]);
});

test("what a failed or cancelled split counted is counted by the next one", async () => {
  const owner = await createOwner();
  await createWallets(owner, [10, 20]);
  const first = await createActive(owner);
  const [second, third] = [
    await createActive(owner, { pointsCounted: first.id }),
    await createActive(owner, { pointsCounted: first.id }),
  ];
  await split(owner, first.id);
  await failSplit(owner, first.id, "Broken");
  await split(owner, second.id);
  expect((await listCounted(second.id)).size).toBe(2);
  await cancelCampaign(owner, second.id, second.campaignId);
  await split(owner, third.id);
  expect((await listCounted(third.id)).size).toBe(2);
  const offered = await listPointsChoices(owner.pointSystemId, "token", "");
  expect(offered.map(({ value }) => value)).toEqual(["", "balance", first.id]);
});

test("a campaign by balance counts what wallets have left at the split, and begins no family", async () => {
  const owner = await createOwner();
  const [one, two, three] = (await createWallets(owner, [10, 20, 30])) as [
    Address,
    Address,
    Address,
  ];
  const spend = (walletAddress: Address, amount: number) =>
    spendPoints(
      { id: randomUUID() },
      {
        ...{ pointSystemId: owner.pointSystemId, walletAddress, points: amount },
        ...{ reason: "Mug", idempotencyKey: null },
      },
    );
  await spend(two, 15);
  const { id } = await createActive(owner, { minPoints: 5, pointsCounted: "balance" });
  const campaign = await getCampaign(owner, id);
  expect(await previewSplit(owner, campaign)).toMatchObject({ wallets: 3, totalWeight: 45n });
  await spend(one, 6);
  const { id: reversed } = await spend(three, 30);
  await spend(two, 5);
  await reverseSpendByHand(owner, reversed, null);
  expect(await getEligibility(owner, campaign, one)).toMatchObject({ kind: "below", points: 4 });
  const asked = await listRewardsOfWallet(owner.pointSystemId, one);
  expect(asked).toMatchObject({ totalPoints: 10, unavailable: [{ pointsNeeded: 1 }] });
  await split(owner, id);
  expect(await listCounted(id)).toEqual(new Map([[three, 30]]));
  const offered = await listPointsChoices(owner.pointSystemId, "token", "");
  expect(offered.map(({ value }) => value)).toEqual(["", "balance"]);
  const draft = createDraft(owner, describeDraft({ pointsCounted: id }));
  expect(await codeOf(draft)).toBe("points_campaign_unknown");
});

const WALLETS = Array.from({ length: 4 }, createAddress);
const wallet = fc.constantFrom(...WALLETS);
const points = fc.integer({ min: 1, max: 50 });
const kind = <Kind extends string>(value: Kind) => fc.constant(value);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind("grant"), wallet, points }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("void"), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("import"),
      rows: fc.uniqueArray(fc.record({ wallet, points }), {
        selector: (row) => row.wallet,
        minLength: 1,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("undo"), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("ban"), wallet }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("pardon"), wallet }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("round"), minPoints: fc.constantFrom(1, 1, 20) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface World {
  readonly owner: Owner;
  readonly imports: string[];
  readonly campaigns: string[];
  /** The points of each wallet that the rounds counted, by the model. */
  readonly counted: Map<string, number>;
}

async function act(world: World, step: Step): Promise<void> {
  const { owner, imports } = world;
  if (step.kind === "grant") await tolerate(grant(owner, step.wallet, step.points));
  else if (step.kind === "ban")
    await addToBlacklist(owner, [{ address: step.wallet, reason: null }]);
  else if (step.kind === "pardon") await removeFromBlacklist(owner, [step.wallet]);
  else if (step.kind === "void") {
    const events = await other<{ id: string }[]>`
      select id from point_events
      where point_system_id = ${owner.pointSystemId} and voids is null order by seq`;
    const event = events[step.pick % Math.max(1, events.length)];
    if (event) await tolerate(voidById(owner, event.id));
  } else if (step.kind === "import") {
    const rows = step.rows.map((row) => [row.wallet, row.points] as const);
    await tolerate(commitFile(owner, toCsv(rows)).then((id) => imports.push(id)));
    await runImports();
  } else if (step.kind === "undo") {
    const id = imports[step.pick % Math.max(1, imports.length)];
    if (id) await tolerate(undoImport(owner, id));
    await runImports();
  } else await addRound(world, step.minPoints);
}

/** Splits a further campaign, and compares what it counted, and its preview, with the model. */
async function addRound({ owner, campaigns, counted }: World, minPoints: number): Promise<void> {
  const owed = new Map<string, number>();
  for (const [address, held] of await sumEvents(owner)) {
    const more = held - (counted.get(address) ?? 0);
    if (more >= minPoints) owed.set(address, more);
  }
  const { id } = await createActive(owner, { minPoints, pointsCounted: campaigns[0] ?? "" });
  const preview = await previewSplit(owner, await getCampaign(owner, id));
  const total = [...owed.values()].reduce((sum, more) => sum + more, 0);
  expect(preview).toMatchObject({ wallets: owed.size, totalWeight: BigInt(total) });
  if (owed.size === 0) {
    expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_no_wallets");
  } else {
    await split(owner, id);
    expect(await listCounted(id)).toEqual(owed);
  }
  campaigns.push(id);
  for (const [address, more] of owed) counted.set(address, (counted.get(address) ?? 0) + more);
}

/** Adds up the events of the wallets that are not blacklisted. */
async function sumEvents({ pointSystemId }: Owner): Promise<Map<string, number>> {
  const rows = await other<{ address: string; points: number }[]>`
    select '0x' || encode(address, 'hex') as address, sum(points)::float8 as points
    from point_events e
    where point_system_id = ${pointSystemId} and not exists (
      select from blacklist b where b.point_system_id = e.point_system_id and b.address = e.address
    )
    group by address`;
  return new Map(rows.map(({ address, points }) => [address, points]));
}

async function tolerate(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
  });
}

test("rounds together count every point once, whatever is credited, voided, imported and blacklisted between", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      const world: World = {
        owner: await createOwner(),
        imports: [],
        campaigns: [],
        counted: new Map(),
      };
      const { owner, campaigns, counted } = world;
      for (const one of steps) await act(world, one);
      const before = new Map(counted);
      await removeFromBlacklist(owner, WALLETS);
      await addRound(world, 1);
      // A single split now would count what each wallet has. Voids alone leave more: what was counted before them.
      const sums = new Map<string, number>();
      for (const id of campaigns) {
        for (const [address, own] of await listCounted(id)) {
          sums.set(address, (sums.get(address) ?? 0) + own);
        }
      }
      const held = await sumEvents(owner);
      for (const address of WALLETS) {
        const now = held.get(address) ?? 0;
        expect(sums.get(address) ?? 0).toBe(Math.max(now, before.get(address) ?? 0));
      }
    }),
    { numRuns: atDepth(3, 20) },
  );
}, 600_000);
