import { commandDatabase, openMigratedDatabase } from "../db/open";
import { readEnv } from "../env";
import { verifyLedger } from "../services/ledger/verify";

// npm run ledger:verify: recomputes every wallet from its events. The exit status is 1 if anything
// differs.

const closeDatabase = await openMigratedDatabase(commandDatabase(readEnv(), console.error));
try {
  const { pointSystems, wallets, events, differences } = await verifyLedger();
  for (const { pointSystemId, address, field, stored, recomputed } of differences) {
    const place = address === null ? pointSystemId : `${pointSystemId} ${address}`;
    console.log(`${place}: ${field} is ${stored ?? "absent"}, should be ${recomputed ?? "absent"}`);
  }
  console.log(
    `${pointSystems} point systems, ${wallets} wallets, ${events} events: ` +
      (differences.length === 0 ? "all as the events say" : `${differences.length} differences`),
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await closeDatabase();
}
