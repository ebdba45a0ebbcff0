import { commandDatabase, openMigratedDatabase } from "../db/open";
import { readEnv } from "../env";
import { listRankedPointSystems, rebuildRanks } from "../services/board/rank-counts";

// npm run ranks:rebuild [-- POINT-SYSTEM…]: rebuilds the counts of ranks from the wallets, of all point
// systems or of those named by their ids, while the service runs. Exit status 1 if one was not rebuilt.

const closeDatabase = await openMigratedDatabase(commandDatabase(readEnv(), console.error));
try {
  const named = process.argv.slice(2);
  const ids = named.length > 0 ? named : await listRankedPointSystems();
  let rebuilt = 0;
  for (const id of ids) {
    if (await rebuildRanks(id)) rebuilt += 1;
    else
      console.error(
        `${id}: not rebuilt: no such point system, or another process is rebuilding it`,
      );
  }
  console.log(`${rebuilt} of ${ids.length} point systems: the ranks match the wallets`);
  process.exitCode = rebuilt === ids.length ? 0 : 1;
} finally {
  await closeDatabase();
}
