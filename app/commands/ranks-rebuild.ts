import { commandDatabase, openMigratedDatabase } from "../db/open";
import { readEnv } from "../env";
import { listRankedPointSystems, rebuildRanks } from "../services/board/rank-counts";

// npm run ledger:rebuild [-- POINT-SYSTEM…]: rebuilds the ranks' counts from the wallets while the
// service runs, for all point systems or for those with the given ids. The exit status is 1 if any
// was not rebuilt.

const closeDatabase = await openMigratedDatabase(commandDatabase(readEnv(), console.error));
try {
  const named = process.argv.slice(2);
  const ids = named.length > 0 ? named : await listRankedPointSystems();
  let rebuilt = 0;
  for (const id of ids) {
    if (await rebuildRanks(id)) rebuilt += 1;
    else console.error(`${id}: not made: there is no such point system, or somebody else is at it`);
  }
  console.log(`${rebuilt} of ${ids.length} point systems: the ranks are as the wallets say`);
  process.exitCode = rebuilt === ids.length ? 0 : 1;
} finally {
  await closeDatabase();
}
