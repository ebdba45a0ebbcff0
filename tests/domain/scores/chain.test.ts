import { expect, test } from "vitest";
import { z } from "zod";
import {
  createScoreChainsSchema,
  listDefaultScoreChains,
  withApiKeys,
} from "../../../app/domain/scores/chain";

const Chains = createScoreChainsSchema(z.url({ protocol: /^https$/ }));
const ETHEREUM = {
  chainId: 1,
  name: "Ethereum",
  rpcUrls: ["https://eth.example.com"],
  explorers: [{ kind: "etherscan", url: "https://api.etherscan.io/v2/api" }],
};

test("the nine chains of the interface are built in, and fit what the environment may say", () => {
  const chains = listDefaultScoreChains();
  expect(chains.map(({ chainId }) => chainId)).toEqual([
    1, 10, 137, 42_161, 100, 42_220, 59_144, 534_352, 324,
  ]);
  expect(Chains.parse(chains)).toEqual(chains);
});

test.each([5_031, 50_312, 8_453, 84_532])("the reward chain %s is refused", (chainId) => {
  expect(Chains.safeParse([{ ...ETHEREUM, chainId }]).success).toBe(false);
});

test.each([
  ["nothing", []],
  ["no list", ETHEREUM],
  ["a chain twice", [ETHEREUM, ETHEREUM]],
  ["a chain without a node", [{ ...ETHEREUM, rpcUrls: [] }]],
  ["an unsafe node", [{ ...ETHEREUM, rpcUrls: ["http://eth.example.com"] }]],
  ["an unknown explorer", [{ ...ETHEREUM, explorers: [{ kind: "other", url: "https://a.io" }] }]],
  ["an unknown field", [{ ...ETHEREUM, key: "secret" }]],
])("%s is refused", (_, value) => {
  expect(Chains.safeParse(value).success).toBe(false);
});

test("limits are those of a free plan unless others are said", () => {
  const [chain] = Chains.parse([ETHEREUM]);
  expect(chain?.explorers).toEqual([
    { ...ETHEREUM.explorers[0], callsPerSecond: 3, callsPerDay: 100_000, recordsMax: 1_000 },
  ]);
});

test("Etherscan is asked only with a key: its own, or the environment's", () => {
  const chains = Chains.parse([ETHEREUM]);
  expect(withApiKeys(chains, {})[0]?.explorers).toEqual([]);
  expect(withApiKeys(chains, { etherscan: "K" })[0]?.explorers[0]?.apiKey).toBe("K");
});
