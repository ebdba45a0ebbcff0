import { setTimeout as sleep } from "node:timers/promises";
import {
  concat,
  createPublicClient,
  createTestClient,
  defineChain,
  type Hex,
  http,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { CAMPAIGN_INIT_CODE, CAMPAIGN_RUNTIME_CODE } from "../../app/chain/campaigns/bytecode";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../app/domain/campaigns/contract";
import { SAFE_SINGLETON_FACTORY, SAFE_SINGLETON_FACTORY_CODE } from "./singleton-factory";

const RECEIPT_TIMEOUT_SECONDS = 180;
const PRIVATE_KEY_PATTERN = /^0x[0-9a-f]{64}$/i;
const FACTORY_HELP = "https://github.com/safe-global/safe-singleton-factory";

export interface Deployment {
  readonly chainId: number;
  readonly rpcUrl: string;
  /** Needed only when there is a transaction to send. */
  readonly privateKey: string | undefined;
  readonly log: (line: string) => void;
}

/**
 * Deploys the campaign contract at its address on a chain, unless it is already there.
 * @returns the transaction that created it; null when it already existed
 * @throws {Error} with instructions: a different chain, no factory, different code, no key, no gas
 */
export async function deployCampaigns(deployment: Deployment): Promise<Hex | null> {
  const { chainId, rpcUrl, log } = deployment;
  const client = createClient(deployment);
  const actualChainId = await client.getChainId();
  if (actualChainId !== chainId) {
    throw new Error(`${redact(rpcUrl)} is chain ${actualChainId}, not ${chainId}`);
  }
  if (await isInPlace(client)) {
    log(`Chain ${chainId} has the campaign contract at ${CAMPAIGN_CONTRACT_ADDRESS} already`);
    return null;
  }
  await ensureFactory(client, deployment);
  const hash = await sendCreation(client, deployment);
  log(`Sent ${hash}`);
  await waitForSuccess(client, hash);
  if (!(await isInPlace(client))) throw new Error(`${hash} succeeded, yet there is no contract`);
  log(`Chain ${chainId} has the campaign contract at ${CAMPAIGN_CONTRACT_ADDRESS}, byte for byte`);
  return hash;
}

type Client = ReturnType<typeof createClient>;

function createClient({ chainId, rpcUrl }: Deployment) {
  const chain = defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  return createPublicClient({ chain, transport: http(rpcUrl, { timeout: 20_000 }), cacheTime: 0 });
}

/**
 * Checks whether the campaign contract is deployed.
 * @throws {Error} when other code is at the contract's address
 */
async function isInPlace(client: Client): Promise<boolean> {
  const code = await client.getCode({ address: CAMPAIGN_CONTRACT_ADDRESS });
  if (code === undefined) return false;
  if (code === CAMPAIGN_RUNTIME_CODE) return true;
  throw new Error(`The code at ${CAMPAIGN_CONTRACT_ADDRESS} is not the campaign contract's`);
}

/**
 * Deploys the factory, on a local chain only: Safe itself deploys the factory on each public chain,
 * with a key.
 */
async function ensureFactory(client: Client, { chainId, rpcUrl, log }: Deployment): Promise<void> {
  const code = await client.getCode({ address: SAFE_SINGLETON_FACTORY });
  if (code === SAFE_SINGLETON_FACTORY_CODE) return;
  if (code !== undefined) {
    throw new Error(`The code at ${SAFE_SINGLETON_FACTORY} is not the Safe singleton factory's`);
  }
  const version = await client.request({ method: "web3_clientVersion" });
  if (!/^anvil/i.test(version)) {
    throw new Error(
      `Chain ${chainId} lacks the Safe singleton factory at ${SAFE_SINGLETON_FACTORY}: ` +
        `ask for it at ${FACTORY_HELP}, then deploy again`,
    );
  }
  await createTestClient({ mode: "anvil", transport: http(rpcUrl) }).setCode({
    address: SAFE_SINGLETON_FACTORY,
    bytecode: SAFE_SINGLETON_FACTORY_CODE,
  });
  log("Gave the local chain the Safe singleton factory");
}

async function sendCreation(client: Client, { privateKey }: Deployment): Promise<Hex> {
  if (privateKey === undefined || !PRIVATE_KEY_PATTERN.test(privateKey)) {
    throw new Error("DEPLOYER_PRIVATE_KEY must be 0x and 64 hexadecimal characters");
  }
  const account = privateKeyToAccount(privateKey as Hex);
  const call = {
    to: SAFE_SINGLETON_FACTORY,
    data: concat([zeroHash, CAMPAIGN_INIT_CODE]),
  } as const;
  // The chain estimates the gas: Somnia's prices differ from Ethereum's.
  const [gas, fees, nonce] = await Promise.all([
    client.estimateGas({ account, ...call }),
    client.estimateFeesPerGas(),
    client.getTransactionCount({ address: account.address, blockTag: "pending" }),
  ]);
  const serializedTransaction = await account.signTransaction({
    ...call,
    ...fees,
    nonce,
    chainId: client.chain.id,
    gas: gas + gas / 5n,
    type: "eip1559",
  });
  return client.sendRawTransaction({ serializedTransaction });
}

async function waitForSuccess(client: Client, hash: Hex): Promise<void> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_SECONDS * 1000;
  while (Date.now() < deadline) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null);
    if (receipt?.status === "success") return;
    if (receipt) throw new Error(`${hash} failed`);
    await sleep(1000);
  }
  throw new Error(
    `${hash} has no receipt after ${RECEIPT_TIMEOUT_SECONDS} s: run this again later`,
  );
}

/** Removes an endpoint's path and query, which may contain a key. */
function redact(rpcUrl: string): string {
  return new URL(rpcUrl).origin;
}
