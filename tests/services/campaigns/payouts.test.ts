import { expect, test } from "vitest";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import {
  getPayoutProgress,
  markPaid,
  readPayouts,
  unmarkPaid,
} from "../../../app/services/campaigns/payouts";
import { getClaimOverview } from "../../../app/services/claims/overview";
import { getClaimProgress } from "../../../app/services/rewards/claim-progress";
import { failureOf, findOwner } from "../../support/operators";
import { createReward, createShare } from "../../support/rewards";
import { createAddress, scene } from "../../support/scene";
import { countEntriesRead, other, waitForLocks } from "../../support/test-database";

const PAID_AT = new Date("2026-03-05T01:02:03.004Z");
const DEFAULTS = { reference: null, paidAt: PAID_AT };
const ALL = { action: null, actor: null, beforeId: null };

/** Creates a SOL campaign whose payouts are open, with shares of 1 SOL. */
async function createPayouts(wallets = 3, changes: object = {}) {
  const shares = Array.from({ length: wallets }, () =>
    createShare({ amount: "1", proof: "pending" }),
  );
  const reward = createReward({
    tokenType: "solana",
    tokenAddress: null,
    tokenSymbol: "SOL",
    tokenDecimals: 9,
    chainId: null,
    airdrop: null,
    totalAmount: String(wallets),
    distributions: shares,
    ...changes,
  });
  const s = await scene({ rewards: [reward] });
  const owner = await findOwner(s.pointSystemId);
  const addresses = shares.map(({ address }) => address);
  const rewardsOf = async (address = "") => (await s.get("/rewards", { address })).body.rewards;
  const pay = (paid: readonly `0x${string}`[], reference = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos") =>
    markPaid(
      owner,
      reward.id,
      paid.map((address) => ({ address, reference, paidAt: PAID_AT })),
    );
  return { ...s, reward, owner, addresses, rewardsOf, pay };
}

test("claimed: a wallet that an operator marked as paid, with reference and time, and no longer eligible", async () => {
  const { addresses, rewardsOf, pay, reward, owner, pointSystemId } = await createPayouts();
  const [paid = "0x", waiting] = addresses;
  expect(await rewardsOf(paid)).toMatchObject({ eligible: [{ allocatedAmount: 1 }], claimed: [] });
  expect(await pay([paid])).toEqual({ changed: 1, unchanged: 0 });
  expect(await rewardsOf(paid)).toEqual({
    eligible: [],
    claimed: [
      {
        id: reward.id,
        campaignName: "Season one",
        claimedAmount: 1,
        claimedAt: PAID_AT.toISOString(),
        claimTxHash: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos",
      },
    ],
    unavailable: [],
  });
  expect((await rewardsOf(waiting)).eligible).toHaveLength(1);
  expect(await getPayoutProgress(owner, reward)).toEqual({ wallets: 1, amountWei: 10n ** 9n });
  const overview = await getClaimOverview(pointSystemId, paid);
  expect(overview.rewards).toMatchObject([
    { share: { claimedAt: PAID_AT.toISOString(), payoutReference: expect.stringMatching(/^5V/) } },
  ]);
});

test("the same payout again changes nothing, and another reference is refused as a whole", async () => {
  const { addresses, pay, owner, reward } = await createPayouts();
  const [first = "0x", ...others] = addresses;
  await pay([first], "one");
  expect(await pay(addresses, "one")).toEqual({ changed: 2, unchanged: 1 });
  await unmarkPaid(owner, reward.id, others);
  const refused = await failureOf(pay(addresses, "two"));
  expect(refused).toMatchObject({
    code: "payouts_refused",
    details: { name: "the wallet is marked as paid with another reference" },
  });
  const stranger = await failureOf(pay([...others, createAddress()], "two"));
  expect(stranger.details.name).toBe("the wallet has no share in this campaign");
  expect((await getPayoutProgress(owner, reward)).wallets).toBe(1);
});

test("of two payouts of a wallet at once, the one with another reference is refused", async () => {
  const { addresses, pay, owner, reward } = await createPayouts();
  const paying = await other.begin(async (tx) => {
    await tx`select from rewards where id = ${reward.id} for update`;
    const both = Promise.allSettled([pay(addresses, "one"), pay(addresses, "two")]);
    await waitForLocks(2);
    return { both };
  });
  const outcomes = await paying.both;
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "payouts_refused" });
  expect((await getPayoutProgress(owner, reward)).wallets).toBe(addresses.length);
});

test("a mark is taken back, and the wallet is eligible again; both are in the audit log", async () => {
  const { addresses, rewardsOf, pay, owner, reward } = await createPayouts();
  await pay(addresses, "batch 7");
  const [first = "0x", second = "0x"] = addresses;
  expect(await unmarkPaid(owner, reward.id, [first, createAddress()])).toEqual({
    changed: 1,
    unchanged: 1,
  });
  expect(await rewardsOf(first)).toMatchObject({ eligible: [{ id: reward.id }], claimed: [] });
  expect((await rewardsOf(second)).claimed).toHaveLength(1);
  const { entries } = await listPointSystemAudit(owner, ALL);
  expect(entries).toMatchObject([
    {
      action: "campaign.unpay",
      before: { wallets: 1, addresses: [first], references: ["batch 7"] },
      after: null,
    },
    { action: "campaign.pay", before: null, after: { wallets: 3, references: ["batch 7"] } },
  ]);
});

test("only payouts that are open and have no contract can be marked, and claims from a contract stay", async () => {
  const active = await createPayouts(1, { status: "active" });
  expect((await failureOf(active.pay(active.addresses))).code).toBe("campaign_moved_on");
  const onChain = await createPayouts(1, { tokenType: "ethereum", chainId: 84532 });
  expect((await failureOf(onChain.pay(onChain.addresses))).code).toBe("campaign_moved_on");
  const other = await createPayouts(1);
  const foreign = markPaid(other.owner, onChain.reward.id, []);
  expect(await foreign).toEqual({ changed: 0, unchanged: 0 });
  const refused = failureOf(
    markPaid(
      other.owner,
      onChain.reward.id,
      onChain.addresses.map((address) => ({ address, reference: "x", paidAt: PAID_AT })),
    ),
  );
  expect((await refused).details.name).toBe("the wallet has no share in this campaign");
});

test("a file of many wallets is read and marked whole, and taken back with the same file", async () => {
  const { addresses, owner, reward } = await createPayouts(6_000);
  const lines = addresses.map((address, i) => `${address};"tx ${i}";2026-03-0${1 + (i % 5)}`);
  const file = ["wallet;reference;time", ...lines, ""].join("\r\n");
  const payouts = await readPayouts(file, DEFAULTS);
  expect(payouts[1]).toEqual({
    line: 3,
    address: addresses[1],
    reference: "tx 1",
    paidAt: new Date("2026-03-02"),
  });
  expect(await markPaid(owner, reward.id, payouts)).toEqual({ changed: 6_000, unchanged: 0 });
  expect((await getPayoutProgress(owner, reward)).wallets).toBe(6_000);
  const again = await readPayouts(file, DEFAULTS);
  const change = await unmarkPaid(
    owner,
    reward.id,
    again.map(({ address }) => address),
  );
  expect(change).toEqual({ changed: 6_000, unchanged: 0 });
});

test("a payout reads the shares that it pays, however many the campaign has, without statistics and with old ones", async () => {
  await other`alter table distributions set (autovacuum_enabled = off)`;
  const expectFewReads = async () => {
    const { owner, reward, pay } = await createPayouts(1);
    const shares = await other<{ address: `0x${string}` }[]>`
      insert into distributions (point_system_id, reward_id, address, amount_wei, bucket, leaf_index)
      select ${owner.pointSystemId}, ${reward.id}, decode(lpad(md5(n::text), 40, '0'), 'hex'), 1, 1 + n / 128, n % 128
      from generate_series(1, 20000) n
      returning '0x' || encode(address, 'hex') as address`;
    const paid = shares.filter((_, i) => i % 100 === 0).map(({ address }) => address);
    const unmark = () => unmarkPaid(owner, reward.id, paid);
    for (const change of [() => pay(paid), unmark]) {
      const read = await countEntriesRead("distributions", async () => {
        expect(await change()).toEqual({ changed: paid.length, unchanged: 0 });
      });
      expect(read, String(change)).toBeLessThan(10 * paid.length);
    }
  };
  await expectFewReads();
  // The statistics know nothing of the next campaign.
  await other`analyze distributions`;
  await expectFewReads();
});

test("a row without reference or time takes the form's", async () => {
  const address = createAddress();
  const rows = await readPayouts(address, { reference: "order 7", paidAt: PAID_AT });
  expect(rows).toEqual([{ line: 1, address, reference: "order 7", paidAt: PAID_AT }]);
});

const OK = `${createAddress()},tx`;
test.each([
  ["not an address", `${OK}\nnope,tx`, "Line 2: not a wallet address"],
  ["no reference", `${OK}\n${createAddress()}`, "Line 2: no reference"],
  ["a repeated wallet", `${OK}\n${OK}\n${OK}`, "Line 2: the wallet is listed twice, and 1 more"],
  ["a long reference", `${createAddress()},${"x".repeat(201)}`, "Line 1: the reference is longer"],
  ["a time in the future", `${OK},2999-01-01`, "Line 1: the time is not an ISO 8601 date"],
  ["a day that its month does not have", `${OK},2026-02-30`, "Line 1: the time is not"],
  ["a time without its offset", `${OK},2026-03-05T12:00`, "Line 1: the time is not"],
])("a file with %s is refused, with its line", async (_, csv, message) => {
  const refused = await failureOf(readPayouts(csv, DEFAULTS));
  expect(refused.code).toBe("payouts_refused");
  expect(refused.details.name).toContain(message);
});

test("a file without rows, or that breaks off, is refused", async () => {
  expect((await failureOf(readPayouts("wallet,reference\n", DEFAULTS))).code).toBe("import_empty");
  const broken = `${OK}\n${createAddress()},"tx${"\n".repeat(20_000)}`;
  expect((await failureOf(readPayouts(broken, DEFAULTS))).code).toBe("import_unreadable");
});

test("the result of a campaign is its paid share, its last 30 days and its newest payouts, of one moment", async () => {
  const { addresses, owner, reward } = await createPayouts(4);
  const [first = "0x", second = "0x", third = "0x"] = addresses;
  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 24 * 60 * 60 * 1_000);
  const pay = (address: `0x${string}`, days: number) =>
    markPaid(owner, reward.id, [{ address, reference: `day ${days}`, paidAt: daysAgo(days) }]);
  await pay(first, 1);
  await pay(second, 2);
  await pay(third, 40);
  const { days, latest, ...counts } = await getClaimProgress(owner, reward.id);
  expect(counts).toEqual({
    wallets: 4,
    totalWei: 4n * 10n ** 9n,
    claimed: 3,
    claimedWei: 3n * 10n ** 9n,
  });
  expect(latest.map(({ address, reference }) => [address, reference])).toEqual([
    [first, "day 1"],
    [second, "day 2"],
    [third, "day 40"],
  ]);
  expect(days).toHaveLength(30);
  const withClaims = days.filter(({ claims }) => claims > 0);
  const toDay = (date: Date) => date.toISOString().slice(0, 10);
  expect(withClaims).toEqual([
    { day: toDay(daysAgo(2)), claims: 1 },
    { day: toDay(daysAgo(1)), claims: 1 },
  ]);
});
