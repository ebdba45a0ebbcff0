import { getChainSettings, openChains } from "../app/chain/rpc/chains";
import { commandDatabase, openMigratedDatabase } from "../app/db/open";
import { type Env, readEnv } from "../app/env";
import { describeError } from "../app/process/describe-error";
import { loadFixture } from "../app/services/fixture/load-fixture";
import { openKeyring } from "../app/services/keyring/keys";
import { prepareDemoChain, runDemoCampaigns } from "./demo-campaigns";
import { createDemoFixture, DEMO } from "./demo-fixture.mjs";
import { addDemoHistory } from "./demo-history";

// Fills the new database of `npm run demo`, and its new chain if there is one.

try {
  await seed(readEnv());
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

async function seed(env: Env): Promise<void> {
  openChains(env);
  const [rpcUrl] = getChainSettings(DEMO.chainId).rpcUrls;
  const close = await openMigratedDatabase(commandDatabase(env, () => {}));
  try {
    const chain = rpcUrl === undefined ? null : await prepareDemoChain(rpcUrl);
    await loadFixture(createDemoFixture(Date.now(), chain), {
      getKeyring: () => openKeyring(env),
    });
    await addDemoHistory(Date.now());
    if (chain) await runDemoCampaigns(chain);
  } finally {
    await close();
  }
}
