import { describeDifference } from "../domain/ledger/difference";
import { ArchiveError } from "../services/ledger/archive-files";
import { verifyLedger } from "../services/ledger/verify";

interface ReportOptions {
  /** the folder of archived events; null leaves them out */
  readonly archives: string | null;
  /** whether a database without a point system is as it should be */
  readonly isEmptyRight: boolean;
}

/**
 * Verifies the ledger of the open database and prints what differs. The exit status becomes 1 if anything does, an
 * archive is missing, or there is no point system.
 */
export async function reportLedger({ archives, isEmptyRight }: ReportOptions): Promise<void> {
  try {
    const report = await verifyLedger(archives);
    const { pointSystems, wallets, events, archivedEvents, differences } = report;
    for (const difference of differences) console.log(describeDifference(difference));
    const archived = archivedEvents === 0 ? "" : ` and ${archivedEvents} archived ones`;
    const isPartial = archivedEvents > 0 && archives === null;
    console.log(
      `${pointSystems} point systems, ${wallets} wallets, ${events} events${archived}: ` +
        (differences.length === 0 ? "all match the events" : `${differences.length} differences`) +
        (isPartial ? "; archived events and balances were not read" : ""),
    );
    const isRefused = pointSystems === 0 && !isEmptyRight;
    if (isRefused) {
      console.error(
        "There is no point system in this database. Check DATABASE_URL and DATA_DIR; --allow-empty takes it as right.",
      );
    }
    process.exitCode = differences.length === 0 && !isRefused ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    console.error(
      `${error.message}. Name its folder with --archives, or verify --without-archives.`,
    );
    process.exitCode = 1;
  }
}
