import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { Failure } from "../../../app/domain/failure";
import { createBoard, endBoard } from "../../../app/services/board/boards";
import { buildAllocation } from "../../../app/services/campaigns/build/build";
import { digestTerms, getCampaign } from "../../../app/services/campaigns/campaigns";
import { previewSplit } from "../../../app/services/campaigns/preview";
import { startRound, startSplit } from "../../../app/services/campaigns/splits";
import { createDraft, publish } from "../../../app/services/campaigns/steps";
import { getEligibility } from "../../../app/services/campaigns/wallets";
import { getClaimOverview } from "../../../app/services/claims/overview";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { listRewardsOfWallet } from "../../../app/services/rewards/rewards";
import { addLink, linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { createActive, describeDraft, distribute } from "../../support/campaign-drafts";
import { atDepth } from "../../support/depth";
import { codeOf, createOwner, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { other, waitForLocks } from "../../support/test-database";

type Owner = Awaited<ReturnType<typeof createOwner>>;

const DAY_MS = 86_400_000;
const CONTRACT = `0x${"c".repeat(40)}` as const;

const link = (owner: Owner, address: Address, primaryAddress: Address) =>
  linkWallets(owner, { address, primaryAddress });

/** Creates the board of a season that is under way. */
const createSpring = (owner: Owner) =>
  createBoard(owner, {
    ...{ kind: "season", slug: "spring", name: "Spring", timeZone: "UTC", isPublic: true },
    season: { startsAt: new Date(Date.now() - DAY_MS), endsAt: new Date(Date.now() + DAY_MS) },
  });

async function build(owner: Owner, id: string): Promise<void> {
  const { rounds } = await getCampaign(owner, id);
  const round = rounds.at(-1)?.round ?? 0;
  await buildAllocation({ pointSystemId: owner.pointSystemId, rewardId: id, round });
}

async function split(owner: Owner, id: string): Promise<void> {
  await startSplit(owner, id, null);
  await build(owner, id);
}

/** Splits a further amount among the wallets that have no share. */
async function splitAgain(owner: Owner, id: string): Promise<void> {
  await startRound(owner, id, "10");
  await build(owner, id);
}

async function createDistributed(owner: Owner, onchainId: bigint): Promise<string> {
  const { id } = await createActive(owner);
  await split(owner, id);
  await distribute(owner, id, { onchainId, contractAddress: CONTRACT });
  return id;
}

/** Reads the points that a campaign counted, by wallet. */
async function listCounted(id: string): Promise<Record<string, number>> {
  const rows = await other<{ address: string; points: number }[]>`
    select '0x' || encode(address, 'hex') as address, points::float8 as points
    from distributions where reward_id = ${id}`;
  return Object.fromEntries(rows.map(({ address, points }) => [address, points]));
}

test("a family counts no point twice, though a wallet is linked between two of its rounds", async () => {
  const owner = await createOwner();
  const [linked, primary, third] = [createAddress(), createAddress(), createAddress()];
  await grant(owner, linked, 100);
  await grant(owner, primary, 10);
  const first = await createActive(owner);
  const second = await createActive(owner, { pointsCounted: first.id });
  await split(owner, first.id);
  expect(await listCounted(first.id)).toEqual({ [linked]: 100, [primary]: 10 });
  await link(owner, linked, primary);
  await grant(owner, third, 5);
  expect(await previewSplit(owner, await getCampaign(owner, second.id))).toMatchObject({
    wallets: 1,
    totalWeight: 5n,
  });
  await grant(owner, linked, 3);
  await split(owner, second.id);
  expect(await listCounted(second.id)).toEqual({ [primary]: 3, [third]: 5 });
});

test("what a wallet earns after its unlinking counts, though a family counted what moved away", async () => {
  const owner = await createOwner();
  const [wallet, primary] = [createAddress(), createAddress()];
  await grant(owner, wallet, 100);
  const first = await createActive(owner);
  const second = await createActive(owner, { pointsCounted: first.id });
  await split(owner, first.id);
  await link(owner, wallet, primary);
  await unlinkWallet(owner, wallet);
  await grant(owner, wallet, 20);
  await split(owner, second.id);
  expect(await listCounted(second.id)).toEqual({ [wallet]: 20 });
});

test("a further round gives nothing to a wallet that holds the points of one with a share, nor to that one again", async () => {
  const owner = await createOwner();
  const [given, one, two] = [createAddress(), createAddress(), createAddress()];
  await grant(owner, given, 100);
  const id = await createDistributed(owner, 1_777n);
  await link(owner, given, one);
  expect(await codeOf(startRound(owner, id, "10"))).toBe("campaign_no_wallets");
  expect(await getEligibility(owner, await getCampaign(owner, id), given)).toEqual({
    kind: "linked",
    primary: one,
  });
  await unlinkWallet(owner, given);
  await link(owner, one, two);
  await grant(owner, given, 7);
  expect(await codeOf(startRound(owner, id, "10"))).toBe("campaign_no_wallets");
  await unlinkWallet(owner, one);
  const fresh = createAddress();
  await grant(owner, fresh, 5);
  await grant(owner, one, 6);
  expect(await getEligibility(owner, await getCampaign(owner, id), two)).toEqual({
    kind: "served",
    former: given,
  });
  // The points of the wallet in between are new.
  await splitAgain(owner, id);
  expect(await listCounted(id)).toEqual({ [given]: 100, [fresh]: 5, [one]: 6 });
});

test("a split that meets a link under way pays the points once", async () => {
  const owner = await createOwner();
  const [linked, primary] = [createAddress(), createAddress()];
  await grant(owner, linked, 100);
  const first = await createActive(owner);
  const second = await createActive(owner, { pointsCounted: first.id });
  await startSplit(owner, first.id, null);
  let splitting: Promise<void> | undefined;
  await writeLedger(owner.pointSystemId, async (tx) => {
    const pair = { address: linked, primaryAddress: primary };
    await addLink(tx, owner.pointSystemId, pair, { date: new Date(), operatorId: null });
    splitting = build(owner, first.id);
    await waitForLocks();
  });
  await splitting;
  await grant(owner, createAddress(), 5);
  await split(owner, second.id);
  expect(await listCounted(second.id)).not.toHaveProperty(primary);
});

test("a board's campaign pays the wallets of its end, and its family takes that off at the wallets that hold the points now", async () => {
  const owner = await createOwner();
  const [early, late, primary, banned] = [
    createAddress(),
    createAddress(),
    createAddress(),
    createAddress(),
  ];
  await createSpring(owner);
  const { id } = await createDraft(owner, describeDraft({ pointsCounted: "season:spring" }));
  await grant(owner, early, 1);
  await grant(owner, late, 20);
  await grant(owner, banned, 300);
  await link(owner, early, primary);
  await endBoard(owner, "spring");
  // Linked before the split, but after the end.
  await link(owner, late, primary);
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  await publish(owner, id, digestTerms(await getCampaign(owner, id)));
  await split(owner, id);
  expect(await listCounted(id)).toEqual({ [primary]: 1, [late]: 20 });
  await removeFromBlacklist(owner, [banned]);
  await link(owner, banned, primary);
  await grant(owner, primary, 4000);
  const next = await createActive(owner, { pointsCounted: id });
  await split(owner, next.id);
  expect(await listCounted(next.id)).toEqual({ [primary]: 4300 });
  // The board's points of the pardoned wallet were counted at the primary one meanwhile.
  await distribute(owner, id, { onchainId: 1_778n, contractAddress: CONTRACT });
  expect(await codeOf(startRound(owner, id, "10"))).toBe("campaign_no_wallets");
});

test("GET /rewards says of a board's campaign what its split would give, also after another one of its family", async () => {
  const owner = await createOwner();
  const [plain, moved, primary, banned] = [
    createAddress(),
    createAddress(),
    createAddress(),
    createAddress(),
  ];
  await createSpring(owner);
  for (const wallet of [plain, moved, banned]) await grant(owner, wallet, 10);
  await addToBlacklist(owner, [{ address: banned, reason: null }]);
  await endBoard(owner, "spring");
  await link(owner, moved, primary);
  await removeFromBlacklist(owner, [banned]);
  const { id } = await createActive(owner, { pointsCounted: "season:spring" });
  const list = async () =>
    Promise.all(
      [plain, moved, primary, banned].map(async (wallet) => {
        const { eligible } = await listRewardsOfWallet(owner.pointSystemId, wallet);
        return eligible.some((reward) => reward.id === id);
      }),
    );
  expect(await list()).toEqual([true, true, false, false]);
  const next = await createActive(owner, { pointsCounted: id });
  await split(owner, next.id);
  expect(await listCounted(next.id)).toEqual({ [plain]: 10, [primary]: 10, [banned]: 10 });
  expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_no_wallets");
  expect(await list()).toEqual([false, false, false, false]);
});

test("while a wallet or its primary wallet is blacklisted, GET /rewards, the claim page, the dashboard and the split of an ended board give it nothing", async () => {
  const owner = await createOwner();
  const [linked, primary] = [createAddress(), createAddress()];
  await createSpring(owner);
  await grant(owner, linked, 10);
  await endBoard(owner, "spring");
  await link(owner, linked, primary);
  const { id } = await createActive(owner, { pointsCounted: "season:spring" });
  const ofAllPoints = await createActive(owner);
  const listEligible = async (wallet: Address) => {
    const { eligible } = await listRewardsOfWallet(owner.pointSystemId, wallet);
    return eligible.map((reward) => reward.id);
  };
  const judge = async (wallet: Address) => {
    const { isBlacklisted } = await getClaimOverview(owner.pointSystemId, wallet);
    const campaign = await getCampaign(owner, id);
    return { isBlacklisted, dashboard: (await getEligibility(owner, campaign, wallet)).kind };
  };
  for (const banned of [primary, linked]) {
    await addToBlacklist(owner, [{ address: banned, reason: null }]);
    expect(await listEligible(linked)).toEqual([]);
    expect(await judge(linked)).toEqual({ isBlacklisted: true, dashboard: "blacklisted" });
    expect(await codeOf(startSplit(owner, id, null))).toBe("campaign_no_wallets");
    await removeFromBlacklist(owner, [banned]);
  }
  expect(await listEligible(linked)).toEqual([ofAllPoints.id, id]);
  expect(await judge(linked)).toEqual({ isBlacklisted: false, dashboard: "eligible" });
  await split(owner, id);
  expect(await listCounted(id)).toEqual({ [linked]: 10 });
});

test("GET /rewards takes off what later campaigns of a family counted from the first one too", async () => {
  const owner = await createOwner();
  const wallet = createAddress();
  await grant(owner, wallet, 10);
  const first = await createActive(owner);
  const second = await createActive(owner, { pointsCounted: first.id });
  await split(owner, second.id);
  const { eligible, unavailable } = await listRewardsOfWallet(owner.pointSystemId, wallet);
  expect(eligible.map((reward) => reward.id)).toEqual([second.id]);
  expect(unavailable.map((reward) => reward.id)).toEqual([first.id]);
});

type Step =
  | readonly ["grant", number, number]
  | readonly ["link", number, number]
  | readonly ["unlink", number]
  | readonly ["split"];

const WALLETS = 4;
const WALLET = fc.nat({ max: WALLETS - 1 });
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant("grant" as const), WALLET, fc.integer({ min: 1, max: 50 })),
  },
  { weight: 4, arbitrary: fc.tuple(fc.constant("link" as const), WALLET, WALLET) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("unlink" as const), WALLET) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("split" as const)) },
);

test("any history of links and rounds counts each point once, at the wallet that holds it, in lists and alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 8, maxLength: 20 }), async (steps) => {
      const owner = await createOwner();
      const wallets = Array.from({ length: WALLETS }, () => createAddress());
      const addressOf = (i: number) => wallets[i] as Address;
      const points = wallets.map(() => 0);
      const given = wallets.map(() => 0);
      const primaries = new Map<number, number>();
      let last = (await createActive(owner)).id;
      let isFirst = true;
      const check = async (id: string) => {
        const campaign = await getCampaign(owner, id);
        const unpaid = points.map((held, i) => Math.max(held - (given[i] ?? 0), 0));
        const sum = unpaid.reduce((total, one) => total + one, 0);
        expect((await previewSplit(owner, campaign)).totalWeight).toBe(BigInt(sum));
        for (const [i, address] of wallets.entries()) {
          const standing = await getEligibility(owner, campaign, address);
          const counted = standing.kind === "eligible" ? standing.points : 0;
          expect([i, counted]).toEqual([i, unpaid[i]]);
          const { eligible } = await listRewardsOfWallet(owner.pointSystemId, address);
          const own = primaries.get(i) ?? i;
          expect([i, eligible.some((one) => one.id === id)]).toEqual([i, (unpaid[own] ?? 0) > 0]);
        }
        return unpaid;
      };
      for (const step of [...steps, ["split"] as const]) {
        if (step[0] === "grant") {
          const [, wallet, added] = step;
          await grant(owner, addressOf(wallet), added);
          const own = primaries.get(wallet) ?? wallet;
          points[own] = (points[own] ?? 0) + added;
        } else if (step[0] === "link") {
          const [, from, to] = step;
          try {
            await link(owner, addressOf(from), addressOf(to));
          } catch (error) {
            if (!(error instanceof Failure)) throw error;
            continue;
          }
          primaries.set(from, to);
          points[to] = (points[to] ?? 0) + (points[from] ?? 0);
          given[to] = (given[to] ?? 0) + (given[from] ?? 0);
          points[from] = 0;
          given[from] = 0;
        } else if (step[0] === "unlink") {
          if (!primaries.delete(step[1])) continue;
          await unlinkWallet(owner, addressOf(step[1]));
        } else {
          if (!isFirst) last = (await createActive(owner, { pointsCounted: last })).id;
          isFirst = false;
          const unpaid = await check(last);
          if (unpaid.every((one) => one === 0)) continue;
          await split(owner, last);
          const counted = unpaid.flatMap((one, i) => (one > 0 ? [[addressOf(i), one]] : []));
          expect(await listCounted(last)).toEqual(Object.fromEntries(counted));
          for (const [i, one] of unpaid.entries()) given[i] = (given[i] ?? 0) + one;
        }
      }
    }),
    { numRuns: atDepth(4, 24) },
  );
}, 300_000);
