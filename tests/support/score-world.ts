import type { Address } from "../../app/domain/address";
import type { ScoreChain } from "../../app/domain/scores/chain";
import { openScore, type ScoreEnvironment } from "../../app/services/scores/settings";
import { type FakeTransaction, startFakeExplorer } from "./fakes/explorer";
import { type FakeNode, startFakeNode } from "./fakes/rpc-node";

const DAY_SECONDS = 86_400;

/** Starts chains with fake providers for tests of the score: Etherscan first, then Blockscout. */
export async function startScoreWorld(chainIds: readonly number[] = [1, 137, 42_161]) {
  const chains = await Promise.all(
    chainIds.map(async (chainId) => ({
      chainId,
      node: await startFakeNode(),
      etherscan: await startFakeExplorer("etherscan"),
      blockscout: await startFakeExplorer("blockscout"),
    })),
  );

  /** Sets the score up with these chains; the test decides about names. */
  function open(
    changes: ScoreEnvironment = {},
    findPrimaryName: (address: Address, coinType: bigint) => Promise<string | null> = async () =>
      null,
  ): void {
    openScore(
      { SCORE_CHAINS: settings(), ETHERSCAN_API_KEY: "TESTKEY", ...changes },
      findPrimaryName,
    );
  }

  function settings(limits: { callsPerSecond?: number; callsPerDay?: number } = {}): ScoreChain[] {
    const plan = { callsPerSecond: 1_000, callsPerDay: 100_000, recordsMax: 1_000, ...limits };
    return chains.map(({ chainId, node, etherscan, blockscout }) => ({
      chainId,
      name: `Chain ${chainId}`,
      rpcUrls: [node.url],
      explorers: [
        { ...plan, kind: "etherscan", url: `${etherscan.url}/v2/api` },
        { ...plan, kind: "blockscout", url: `${blockscout.url}/api` },
      ],
    }));
  }

  /** Adds a person's account on a chain, with transactions sent so many days ago. */
  function addAccount(
    address: string,
    index: number,
    daysAgo: readonly number[],
  ): FakeTransaction[] {
    const now = Math.floor(Date.now() / 1_000);
    const sorted = daysAgo.toSorted((a, b) => b - a);
    const sent = sorted.map((days, nonce) => ({
      from: address,
      time: Math.floor(now - days * DAY_SECONDS) - 60,
      nonce,
    }));
    putHistory(address, index, sent, sent.length);
    return sent;
  }

  function putHistory(
    address: string,
    index: number,
    list: FakeTransaction[],
    nonce: number,
    code = "0x",
  ) {
    const chain = getChain(index);
    chain.node.accounts.set(address, { nonce, code });
    chain.etherscan.txlist.set(address, list);
    chain.blockscout.txlist.set(address, list);
  }

  function getChain(index: number) {
    const chain = chains[index];
    if (!chain) throw new Error("There is no such chain");
    return chain;
  }

  /** Makes all providers answer again. */
  function heal(): void {
    for (const { node, etherscan, blockscout } of chains) {
      node.mode = "answers";
      node.calls.length = 0;
      for (const explorer of [etherscan, blockscout]) {
        Object.assign(explorer, { always: null, reorg: null });
        explorer.faults.length = 0;
        explorer.calls.length = 0;
      }
    }
  }

  function setNodes(mode: FakeNode["mode"]): void {
    for (const { node } of chains) node.mode = mode;
  }

  function countExplorerCalls(): number {
    return chains.reduce(
      (sum, { etherscan, blockscout }) => sum + etherscan.calls.length + blockscout.calls.length,
      0,
    );
  }

  async function stop(): Promise<void> {
    await Promise.all(
      chains.flatMap(({ node, etherscan, blockscout }) => [
        node.stop(),
        etherscan.stop(),
        blockscout.stop(),
      ]),
    );
  }

  return {
    open,
    settings,
    addAccount,
    putHistory,
    getChain,
    heal,
    setNodes,
    countExplorerCalls,
    stop,
  };
}
