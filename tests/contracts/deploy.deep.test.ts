import { spawn } from "node:child_process";
import { type Hex, toHex } from "viem";
import { expect, test } from "vitest";
import { CAMPAIGN_RUNTIME_CODE } from "../../app/chain/campaigns/bytecode";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../app/domain/campaigns/contract";
import {
  SAFE_SINGLETON_FACTORY,
  SAFE_SINGLETON_FACTORY_CODE,
} from "../../contracts/scripts/singleton-factory";
import { getTestAccount, startAnvil } from "../support/chain/anvil";

const CHAIN_ID = 31337;
const KEY = toHex(getTestAccount(0).getHdKey().privateKey ?? new Uint8Array());

type Chain = Awaited<ReturnType<typeof startAnvil>>;

/** Runs work on a new chain without the contract. */
async function withChain(work: (chain: Chain) => Promise<void>): Promise<void> {
  const chain = await startAnvil({ chainId: CHAIN_ID, hasCampaigns: false });
  try {
    await work(chain);
  } finally {
    await chain.stop();
  }
}

/** Runs the command as operators do. */
async function deploy(args: readonly string[], env: Record<string, string> = {}) {
  const command = ["node_modules/tsx/dist/cli.mjs", "contracts/scripts/deploy.ts", ...args];
  const child = spawn(process.execPath, command, { env: { NODE_ENV: "production", ...env } });
  let output = "";
  const read = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(output).not.toContain(KEY.slice(2));
  return { status, output };
}

const settings = ({ rpcUrl }: Chain) => ({
  [`RPC_URL_${CHAIN_ID}`]: rpcUrl,
  DEPLOYER_PRIVATE_KEY: KEY,
});
const getCode = (chain: Chain) => chain.client.getCode({ address: CAMPAIGN_CONTRACT_ADDRESS });

test("deploys to a local chain, factory included, and the second time finds it there", () =>
  withChain(async (chain) => {
    const first = await deploy([String(CHAIN_ID)], settings(chain));
    expect(first).toMatchObject({ status: 0, output: expect.stringContaining("byte for byte") });
    expect(await getCode(chain)).toBe(CAMPAIGN_RUNTIME_CODE);
    expect(await chain.client.getCode({ address: SAFE_SINGLETON_FACTORY })).toBe(
      SAFE_SINGLETON_FACTORY_CODE,
    );

    const sent = await chain.client.getTransactionCount({ address: getTestAccount(0).address });
    // The second run needs no key: there is nothing to pay for.
    const second = await deploy([String(CHAIN_ID)], { [`RPC_URL_${CHAIN_ID}`]: chain.rpcUrl });
    expect(second).toMatchObject({ status: 0, output: expect.stringContaining("already") });
    expect(await chain.client.getTransactionCount({ address: getTestAccount(0).address })).toBe(
      sent,
    );
  }));

test("an endpoint of another chain is refused, and its key is not shown", () =>
  withChain(async (chain) => {
    const { status, output } = await deploy(["84532"], {
      RPC_URL_84532: `${chain.rpcUrl}/?key=secret`,
      DEPLOYER_PRIVATE_KEY: KEY,
    });
    expect(status).toBe(1);
    expect(output).toContain(`${chain.rpcUrl} is chain ${CHAIN_ID}, not 84532`);
    expect(output).not.toContain("secret");
    expect(await getCode(chain)).toBeUndefined();
  }));

test("other code at the contract's or the factory's address is refused", () =>
  withChain(async (chain) => {
    await chain.client.setCode({ address: SAFE_SINGLETON_FACTORY, bytecode: "0x00" });
    const factory = await deploy([String(CHAIN_ID)], settings(chain));
    expect(factory).toMatchObject({ status: 1, output: expect.stringContaining("not the Safe") });
    const shorter: Hex = `0x${CAMPAIGN_RUNTIME_CODE.slice(2, -2)}`;
    await chain.client.setCode({ address: CAMPAIGN_CONTRACT_ADDRESS, bytecode: shorter });
    const contract = await deploy([String(CHAIN_ID)], settings(chain));
    expect(contract).toMatchObject({
      status: 1,
      output: expect.stringContaining("not the campaign"),
    });
  }));

test("a missing or malformed key, endpoint or chain id is named", () =>
  withChain(async (chain) => {
    const rpcUrl = { [`RPC_URL_${CHAIN_ID}`]: chain.rpcUrl };
    for (const env of [rpcUrl, { ...rpcUrl, DEPLOYER_PRIVATE_KEY: "0x12" }]) {
      const { status, output } = await deploy([String(CHAIN_ID)], env);
      expect(status).toBe(1);
      expect(output).toContain("DEPLOYER_PRIVATE_KEY must be");
      expect(output).not.toContain("0x12");
    }
    expect((await deploy(["31338"])).output).toContain("RPC_URL_31338");
    for (const args of [[], ["base"], ["0"], ["1", "2"]]) {
      expect(await deploy(args)).toMatchObject({
        status: 2,
        output: expect.stringContaining("Usage"),
      });
    }
  }));
