import { parseUuid } from "../domain/uuid";
import { rebuildBooks } from "../services/board/board-books";
import { listRankedPointSystems } from "../services/board/rank-counts";
import { LedgerLockedError } from "../services/ledger/write-ledger";
import { readOptions, refuseCall } from "./options";
import { withCommandDatabase } from "./with-database";

// npm run ranks:rebuild [-- POINT-SYSTEM…]: rebuilds the counts of ranks from the wallets, and the wallets of boards
// beside the all-time board from the events, of all point systems or of those named by their ids, while the service runs.
// Exit status 1 if one was not rebuilt, 2 for a wrong call.

const USAGE = "npm run ranks:rebuild [-- POINT-SYSTEM…]";
const { positionals: named } = readOptions(USAGE, {}, Number.POSITIVE_INFINITY);
const unfit = named.find((id) => parseUuid(id) === null);
if (unfit !== undefined) refuseCall(`'${unfit}' is no id of a point system`, USAGE);
await withCommandDatabase(async () => {
  const ids = named.length > 0 ? named : await listRankedPointSystems();
  let rebuilt = 0;
  for (const id of ids) {
    try {
      if (await rebuildBooks(id)) rebuilt += 1;
      else
        console.error(`${id}: not rebuilt: no such point system, or another process rebuilds it`);
    } catch (error) {
      if (!(error instanceof LedgerLockedError)) throw error;
      console.error(`${id}: not rebuilt: another transaction holds its ledger`);
    }
  }
  console.log(`${rebuilt} of ${ids.length} point systems: the ranks match the wallets`);
  process.exitCode = rebuilt === ids.length ? 0 : 1;
});
