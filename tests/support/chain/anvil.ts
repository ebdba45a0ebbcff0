import { spawn } from "node:child_process";
import {
  createTestClient,
  defineChain,
  encodeDeployData,
  type Hex,
  http,
  publicActions,
  walletActions,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { CAMPAIGN_RUNTIME_CODE } from "../../../app/chain/campaigns/bytecode";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { findFoundry } from "../../../contracts/scripts/find-foundry.mjs";
import {
  FEE_TOKEN_INIT_CODE,
  TEST_TOKEN_INIT_CODE,
  testTokenAbi,
} from "../../../contracts/test-tokens";
import { TEST_WALLET_INIT_CODE, testWalletAbi } from "./test-wallet";

/** The chain id of the tests: Base Sepolia. */
export const TEST_CHAIN_ID = 84532;
const MNEMONIC = "test test test test test test test test test test test junk";

/** Returns a funded account of anvil, 0 to 9, with its key. */
export function getTestAccount(index: number) {
  return mnemonicToAccount(MNEMONIC, { addressIndex: index });
}

/** Starts a separate chain on a free port, with the campaign contract at its address. */
export async function startAnvil({
  chainId = TEST_CHAIN_ID,
  args = [] as readonly string[],
  hasCampaigns = true,
} = {}) {
  const child = spawn(
    findFoundry("anvil"),
    ["--port", "0", "--chain-id", String(chainId), "--mnemonic", MNEMONIC, ...args],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port) resolve(port);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then(() => reject(new Error(`anvil ended: ${output}`)));
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const chain = defineChain({
    id: chainId,
    name: "Test",
    nativeCurrency: { name: "Test", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const client = createTestClient({ mode: "anvil", chain, transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
  if (hasCampaigns)
    await client.setCode({ address: CAMPAIGN_CONTRACT_ADDRESS, bytecode: CAMPAIGN_RUNTIME_CODE });

  /** Sends a transaction and waits for its receipt, in one call that cannot hang. */
  async function send(
    account: ReturnType<typeof getTestAccount>,
    call: { to?: Address; data?: Hex; value?: bigint },
  ) {
    const receipt = await client.sendTransactionSync({ account, chain, ...call });
    if (receipt.status !== "success") throw new Error(`${receipt.transactionHash} reverted`);
    return receipt;
  }
  async function deploy(data: Hex): Promise<Address> {
    const { contractAddress } = await send(getTestAccount(9), { data });
    if (!contractAddress) throw new Error("Nothing was deployed");
    return contractAddress.toLowerCase() as Address;
  }
  return {
    rpcUrl,
    chain,
    client,
    send,
    /** Deploys an ERC-20 token that anyone can mint. */
    deployToken: ({ name = "Test Token", symbol = "TEST", decimals = 18 } = {}) =>
      deploy(
        encodeDeployData({
          abi: testTokenAbi,
          bytecode: TEST_TOKEN_INIT_CODE,
          args: [name, symbol, decimals],
        }),
      ),
    /** Deploys a token that keeps 1 % of every transfer. */
    deployFeeToken: () => deploy(FEE_TOKEN_INIT_CODE),
    /** Deploys a wallet that is a contract with one owner. */
    deployWallet: (owner: Address) =>
      deploy(
        encodeDeployData({
          abi: testWalletAbi,
          bytecode: TEST_WALLET_INIT_CODE,
          args: [owner],
        }),
      ),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
