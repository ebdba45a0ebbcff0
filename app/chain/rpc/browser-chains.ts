import { REWARD_CHAIN_IDS } from "../../domain/rewards/reward";
import { REWARD_CHAINS } from "../../domain/rewards/reward-chain";
import { getChainSettings } from "./chains";

/** Lists the reward chains with the endpoints that browsers use. */
export function listBrowserChains() {
  return REWARD_CHAIN_IDS.map((id) => {
    const { name, nativeSymbol, explorerUrl, publicRpcUrl: usual } = REWARD_CHAINS[id];
    const { publicRpcUrl } = getChainSettings(id);
    const isPublicRpcOverridden = publicRpcUrl !== usual;
    return { id, name, nativeSymbol, explorerUrl, publicRpcUrl, isPublicRpcOverridden };
  });
}
