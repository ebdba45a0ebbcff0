import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getScore } from "../../../app/services/scores/scores";
import { failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { startScoreWorld } from "../../support/score-world";

// Every way in which a provider can fail, and its effect on the score.

let world: Awaited<ReturnType<typeof startScoreWorld>>;
beforeAll(async () => {
  world = await startScoreWorld([1]);
});
afterAll(() => world.stop());
beforeEach(() => world.open());
afterEach(() => world.heal());

const DAY_SECONDS = 86_400;
const now = () => Math.floor(Date.now() / 1_000);

/** Adds a wallet with five transactions on one chain. */
function addWallet(): string {
  const address = createAddress();
  world.addAccount(address, 0, [500, 400, 300, 200, 100]);
  return address;
}

const ask = async (address: string) =>
  (await getScore(address as `0x${string}`, "kept", async () => "somebody")).result;

const COMPLETE = {
  breakdown: { wallet_age_days: 500, total_txs: 5, last_tx_days_ago: 100, chains_active: 1 },
  dataSources: { explorer: true },
};

describe("what passes by itself is tried again", () => {
  test.each([
    "Max calls per sec rate limit reached (3/sec)",
    "Max rate limit reached, please use API Key for higher rate limit",
    "Query Timeout occured. Please select a smaller result dataset",
  ])("%s", async (text) => {
    const { etherscan, blockscout } = world.getChain(0);
    etherscan.faults.push({ kind: "notok", text });
    expect(await ask(addWallet())).toMatchObject(COMPLETE);
    expect(etherscan.calls).toHaveLength(2);
    expect(blockscout.calls).toHaveLength(0);
  });

  test("HTTP 429", async () => {
    const { etherscan, blockscout } = world.getChain(0);
    etherscan.faults.push({ kind: "429" });
    expect(await ask(addWallet())).toMatchObject(COMPLETE);
    expect([etherscan.calls.length, blockscout.calls.length]).toEqual([2, 0]);
  });
});

describe("what does not pass goes to the next explorer", () => {
  test.each([
    { kind: "notok", text: "Invalid API Key (#err2)|INVALID" },
    { kind: "notok", text: "Free API access is not supported for this chain. Please upgrade" },
    { kind: "notok", text: "Missing or unsupported chainid parameter (required for v2 api)" },
    { kind: "notok", text: "Result window is too large, PageNo x Offset size must be less" },
    { kind: "notok", text: "Something new" },
    { kind: "truncated" },
    { kind: "html" },
    { kind: "5xx" },
    { kind: "redirect" },
    { kind: "empty" },
  ] as const)("$kind $text", async (fault) => {
    const { etherscan, blockscout } = world.getChain(0);
    etherscan.always = fault;
    expect(await ask(addWallet())).toMatchObject(COMPLETE);
    expect(etherscan.calls).toHaveLength(1);
    expect(blockscout.calls).toHaveLength(1);
  });

  test("a list that is behind, has holes or is cut off is not believed", async () => {
    const { etherscan } = world.getChain(0);
    for (const left of [
      [0, 1, 2, 3],
      [0, 1, 3, 4],
      [1, 2, 3, 4],
    ]) {
      const address = createAddress();
      const sent = world.addAccount(address, 0, [500, 400, 300, 200, 100]);
      etherscan.txlist.set(
        address,
        left.flatMap((nonce) => sent[nonce] ?? []),
      );
      expect(await ask(address)).toMatchObject(COMPLETE);
    }
  });
});

describe("when no explorer can be believed, the score is a lower bound from the nonce", () => {
  const BOUND = {
    finalScore: 0,
    breakdown: { total_txs: 5, chains_active: 1, wallet_age_days: null, last_tx_days_ago: null },
    penalties: { recency: 0, humanity: 0, bot: 0 },
    dataSources: { explorer: true, missingChains: [1] },
  };

  test.each(["empty", "truncated", "5xx"] as const)("%s", async (kind) => {
    const { etherscan, blockscout } = world.getChain(0);
    etherscan.always = { kind };
    blockscout.always = { kind };
    expect(await ask(addWallet())).toMatchObject(BOUND);
  });

  test("without any explorer", async () => {
    world.open({ SCORE_CHAINS: world.settings().map((chain) => ({ ...chain, explorers: [] })) });
    expect(await ask(addWallet())).toMatchObject(BOUND);
  });

  test("without a key, Etherscan is not asked", async () => {
    world.open({ ETHERSCAN_API_KEY: undefined });
    expect(await ask(addWallet())).toMatchObject(COMPLETE);
    expect(world.getChain(0).etherscan.calls).toHaveLength(0);
  });
});

describe("nodes", () => {
  test.each(["fails", "talks", "limits"] as const)(
    "one that %s, alone: unavailable",
    async (mode) => {
      world.setNodes(mode);
      expect((await failureOf(ask(addWallet()))).code).toBe("score_unavailable");
    },
  );

  test("the next one is asked when the first fails", async () => {
    const [chain] = world.settings();
    if (!chain) throw new Error("no chain");
    world.open({ SCORE_CHAINS: [{ ...chain, rpcUrls: ["http://127.0.0.1:1", ...chain.rpcUrls] }] });
    expect(await ask(addWallet())).toMatchObject(COMPLETE);
  });

  test("one that hangs is given up, within the deadline of a request", async () => {
    world.setNodes("hangs");
    expect((await failureOf(ask(addWallet()))).code).toBe("score_unavailable");
  });
});

describe("lists", () => {
  test("what others sent to the wallet is not its own", async () => {
    const address = createAddress();
    const spam = createAddress();
    const sent = world.addAccount(address, 0, [50, 40]);
    const received = { from: spam, to: address, time: now() - 900 * DAY_SECONDS, nonce: 7 };
    world.putHistory(address, 0, [received, ...sent], 2);
    expect(await ask(address)).toMatchObject({
      breakdown: { wallet_age_days: 50, total_txs: 2 },
      dataSources: { explorer: true },
    });
  });

  test("a first transaction behind pages of others is found", async () => {
    const address = createAddress();
    const spam = createAddress();
    const total = 2_600;
    const list = Array.from({ length: total }, (_, i) => ({
      from: i < 3 || i >= total - 3 ? address : spam,
      time: now() - (total - i) * 3_600,
      nonce: i < 3 ? i : i - total + 6,
    }));
    world.putHistory(address, 0, list, 6);
    const { breakdown, dataSources } = await ask(address);
    expect(dataSources.explorer).toBe(true);
    expect(breakdown.wallet_age_days).toBe(Math.floor((total * 3_600) / DAY_SECONDS));
  });

  test("beyond 10,000 records the list goes on in another window", async () => {
    const address = createAddress();
    const spam = createAddress();
    const total = 12_500;
    const list = Array.from({ length: total }, (_, i) => ({
      from: i === 0 ? address : spam,
      time: now() - (total - i) * 3_600,
      nonce: 0,
    }));
    world.putHistory(address, 0, list, 1);
    const { breakdown } = await ask(address);
    expect(breakdown.wallet_age_days).toBe(Math.floor((total * 3_600) / DAY_SECONDS));
    for (const query of world.getChain(0).etherscan.calls) {
      expect(Number(query.get("page")) * Number(query.get("offset"))).toBeLessThanOrEqual(10_000);
    }
  });

  test("Blockscout is never asked with an endblock, and always with a sort", async () => {
    world.open({ ETHERSCAN_API_KEY: undefined });
    const address = createAddress();
    const list = Array.from({ length: 11_000 }, (_, i) => ({
      from: i % 2 ? address : createAddress(),
      time: now() - (11_000 - i) * 3_600,
      nonce: (i - 1) / 2,
    }));
    world.putHistory(address, 0, list, 5_500);
    expect(await ask(address)).toMatchObject({
      breakdown: { total_txs: 5_500 },
      dataSources: { explorer: true },
    });
    const { calls } = world.getChain(0).blockscout;
    expect(calls.length).toBeGreaterThan(1);
    for (const query of calls) {
      expect(query.has("endblock")).toBe(false);
      expect(["asc", "desc"]).toContain(query.get("sort"));
    }
  });

  test("a transaction that a reorganization put elsewhere between two pages counts once", async () => {
    const address = createAddress();
    const sent = Array.from({ length: 1_500 }, (_, nonce) => ({
      from: nonce % 2 ? address : createAddress(),
      time: now() - (1_600 - nonce) * 3_600,
      nonce: (nonce - 1) / 2,
    }));
    world.putHistory(address, 0, sent, 750);
    const { etherscan } = world.getChain(0);
    etherscan.reorg = () => {
      etherscan.txlist.set(
        address,
        sent.map((one) => ({ ...one, time: one.time - 7_200 })),
      );
    };
    expect(await ask(address)).toMatchObject({
      breakdown: { total_txs: 750 },
      dataSources: { explorer: true },
    });
  });
});

describe("accounts with code", () => {
  const tx = (hash: string, days: number) => ({
    hash: `0x${hash.padStart(64, "0")}`,
    from: createAddress(),
    time: now() - days * DAY_SECONDS - 60,
  });

  test("count each hash of both lists once", async () => {
    const address = createAddress();
    const { etherscan } = world.getChain(0);
    world.putHistory(address, 0, [tx("a", 90), tx("b", 80)], 1, "0x6001");
    etherscan.internal.set(address, [tx("b", 80), tx("c", 70), tx("c", 70)]);
    expect(await ask(address)).toMatchObject({
      breakdown: { total_txs: 3, wallet_age_days: 90, last_tx_days_ago: 70 },
      dataSources: { explorer: true },
    });
  });

  test("Blockscout's internal lists have their own name for the hash", async () => {
    world.open({ ETHERSCAN_API_KEY: undefined });
    const address = createAddress();
    world.putHistory(address, 0, [tx("a", 90)], 1, "0x6001");
    world.getChain(0).blockscout.internal.set(address, [tx("c", 70)]);
    expect(await ask(address)).toMatchObject({ breakdown: { total_txs: 2 } });
  });

  test("one delegation (EIP-7702) is not code: what it sent counts, by its nonce", async () => {
    const address = createAddress();
    const sent = world.addAccount(address, 0, [30, 20]);
    world.putHistory(address, 0, sent, 3, `0xef0100${"ab".repeat(20)}`);
    expect(await ask(address)).toMatchObject({
      breakdown: { total_txs: 3, wallet_age_days: 30 },
      dataSources: { explorer: true },
    });
  });
});

test("a key is in no error, log line or stored state", async () => {
  const { etherscan, blockscout } = world.getChain(0);
  etherscan.always = { kind: "redirect" };
  blockscout.always = { kind: "redirect" };
  const answer = await ask(addWallet());
  expect(JSON.stringify(answer)).not.toContain("TESTKEY");
});
