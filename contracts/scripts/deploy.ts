import { BaseError } from "viem";
import { isRewardChainId, REWARD_CHAINS } from "../../app/domain/rewards/reward-chain";
import { deployCampaigns } from "./deploy-campaigns";

// npm run contracts:deploy -- CHAIN_ID: deploys the campaign contract at the same address on every
// chain. The endpoint is RPC_URL_<CHAIN_ID>, or a reward chain's public one. The key is
// DEPLOYER_PRIVATE_KEY.

const USAGE = `Usage: npm run contracts:deploy -- CHAIN_ID
  RPC_URL_<CHAIN_ID>      its JSON-RPC endpoint; the public one of ${Object.keys(REWARD_CHAINS).join(", ")} when unset
  DEPLOYER_PRIVATE_KEY    the key that pays for the gas; nothing else is needed of it`;

function getEndpoint(chainId: number): string {
  const url = process.env[`RPC_URL_${chainId}`]?.split(",")[0]?.trim();
  if (url) return url;
  if (isRewardChainId(chainId)) return REWARD_CHAINS[chainId].publicRpcUrl;
  throw new Error(`Set RPC_URL_${chainId} to the chain's JSON-RPC endpoint`);
}

const [word, ...more] = process.argv.slice(2);
if (word === undefined || more.length > 0 || !/^[1-9]\d{0,14}$/.test(word)) {
  console.error(USAGE);
  process.exitCode = 1;
} else {
  try {
    await deployCampaigns({
      chainId: Number(word),
      rpcUrl: getEndpoint(Number(word)),
      privateKey: process.env.DEPLOYER_PRIVATE_KEY,
      log: (line) => console.log(line),
    });
  } catch (error) {
    // The short message is shown: the long one contains the endpoint, and with it perhaps a key.
    const message = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    console.error(message);
    process.exitCode = 1;
  }
}
