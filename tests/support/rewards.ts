import { randomBytes, randomUUID } from "node:crypto";
import { createAddress } from "./scene";

/** The default fields of a file, with a test's changes. */
type Changed<Fields, Changes> = Omit<Fields, keyof Changes> & Changes;

/** Creates a transaction's hash. */
export function createHash(): `0x${string}` {
  return `0x${randomBytes(32).toString("hex")}`;
}

/** Creates an on-chain id that no other test uses. */
export function createOnchainId(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
}

/** Creates a token reward of a fixture file, with an active airdrop; any part can be changed. */
export function createReward<Changes extends object = object>(changes = {} as Changes) {
  const reward = {
    kind: "token" as const,
    id: randomUUID(),
    campaignName: "Season one",
    tokenType: "custom",
    tokenAddress: createAddress(),
    tokenSymbol: "ABC",
    tokenDecimals: 18,
    chainId: 84532,
    totalAmount: "1000.5",
    minPoints: 100,
    maxPoints: 5000,
    status: "distributed",
    claimDeadline: null,
    createdAt: "2026-03-01T00:00:00.000Z",
    airdrop: {
      onchainId: createOnchainId(),
      contractAddress: createAddress(),
      status: "active",
    },
  };
  return { ...reward, ...changes } as Changed<typeof reward, Changes>;
}

/** Creates a wallet's share of a token reward, with its proof; any part can be changed. */
export function createShare<Changes extends object = object>(changes = {} as Changes) {
  const share = {
    id: randomUUID(),
    address: createAddress(),
    amount: "400.25",
    proof: "built",
    distributedAt: "2026-03-02T00:00:00.000Z",
    claimedAt: null,
    claimTxHash: null,
  };
  return { ...share, ...changes } as Changed<typeof share, Changes>;
}
