import { DEMO } from "../../../drizzle/demo-fixture.mjs";

const CHAINS = [5031, 50312, 8453, 84532];
const OF_A_CHAIN = ["RPC_URL", "PUBLIC_RPC_URL", "CAMPAIGN_CONTRACT", "PAYMASTER_URL"];

/**
 * Returns the settings that keep the demo apart from what you configured: it touches no other database, chain or port.
 * @param {string} dataDir
 * @param {string | null} rpcUrl the demo's chain; null without one
 * @param {string | null} publicRpcUrl its address for browsers
 */
export const makeSettings = (dataDir, rpcUrl, publicRpcUrl) => ({
  ...Object.fromEntries(CHAINS.flatMap((id) => OF_A_CHAIN.map((name) => [`${name}_${id}`, ""]))),
  DATABASE: "embedded",
  DATABASE_URL: "",
  DATABASE_REPLICA_URLS: "",
  DATA_DIR: dataDir,
  APP_ORIGIN: "",
  METRICS_PORT: "",
  WORKER: "on",
  [`RPC_URL_${DEMO.chainId}`]: rpcUrl ?? "",
  [`PUBLIC_RPC_URL_${DEMO.chainId}`]: publicRpcUrl ?? "",
});
