import { BaseError } from "viem";
import { readOptions, refuseCall } from "../../app/commands/options";
import { isRewardChainId, REWARD_CHAINS } from "../../app/domain/rewards/reward-chain";
import { deployCampaigns } from "./deploy-campaigns";

// npm run contracts:deploy -- CHAIN_ID: deploys the campaign contract at the same address on every
// chain. The endpoint is RPC_URL_<CHAIN_ID>, or a reward chain's public one. The key is
// DEPLOYER_PRIVATE_KEY. The exit status is 1 when it cannot, 2 for a wrong call.

const USAGE = `npm run contracts:deploy -- CHAIN_ID
  RPC_URL_<CHAIN_ID>      its JSON-RPC endpoint; the public one of ${Object.keys(REWARD_CHAINS).join(", ")} when unset
  DEPLOYER_PRIVATE_KEY    the key that pays for the gas; nothing else is needed of it`;

function getEndpoint(chainId: number): string {
  const url = process.env[`RPC_URL_${chainId}`]?.split(",")[0]?.trim();
  if (url) return url;
  if (isRewardChainId(chainId)) return REWARD_CHAINS[chainId].publicRpcUrl;
  throw new Error(`Set RPC_URL_${chainId} to the chain's JSON-RPC endpoint`);
}

const [word = ""] = readOptions(USAGE, {}, 1).positionals;
if (!/^[1-9]\d{0,14}$/.test(word)) refuseCall("No chain is named by its id", USAGE);
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
