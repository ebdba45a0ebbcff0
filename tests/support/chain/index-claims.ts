import { setTimeout as sleep } from "node:timers/promises";
import { openChains } from "../../../app/chain/rpc/chains";
import { openDatabase } from "../../../app/db/client";
import type { DatabaseAddress } from "../../../app/db/pool";
import { createChainFollower } from "../../../app/services/follower/follower";
import { TEST_CHAIN_ID } from "./anvil";

// Runs an indexer in a separate process, for tests that kill or pause it.

const { DATABASE_ADDRESS = "{}", RPC_URL = "" } = process.env;
openDatabase({
  address: JSON.parse(DATABASE_ADDRESS) as DatabaseAddress,
  connectionsMax: 4,
  statementTimeoutMs: 4_000,
  deadlineMs: 4_500,
});
openChains({ RPC_URL_84532: [RPC_URL] });
const indexer = createChainFollower({ everyMs: 0 });
for (;;) {
  // Failures are tried again, as the worker does.
  await indexer.look(TEST_CHAIN_ID).catch(() => sleep(100));
}
