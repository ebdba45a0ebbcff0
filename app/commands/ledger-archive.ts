import path from "node:path";
import { z } from "zod";
import { backUpArchivedEvents } from "../db/backups";
import type { Env } from "../env";
import { ArchiveError, openFolder } from "../services/ledger/archive-files";
import { archiveEvents, countWaitingEvents, vacuumEvents } from "../services/ledger/archives";
import { readOptions, refuseCall } from "./options";
import { withCommandDatabase } from "./with-database";

// npm run ledger:archive -- --before DATE [--to FOLDER]: moves the events before a date (UTC) into a compressed
// file, while the service runs. The exit status is 1 when it cannot, 2 for a wrong call.

const USAGE = "npm run ledger:archive -- --before 2026-01-31 [--to FOLDER]";
const { values } = readOptions(USAGE, { before: { type: "string" }, to: { type: "string" } });
if (values.before === undefined) refuseCall("No date is named", USAGE);
// PostgreSQL has no year 0.
const Before = z
  .union([z.iso.date(), z.iso.datetime()])
  .refine((text) => text >= "0001")
  // Whole days leave: from a part of one, wallets would count as active on that day again.
  .transform((text) => text.slice(0, "2026-01-31".length));
const before = Before.safeParse(values.before);
if (!before.success) refuseCall(`'${values.before}' is no date in UTC`, USAGE);
if (values.to !== undefined) {
  await openFolder(values.to).catch((error: Error) => refuseCall(error.message, USAGE));
}
const moveEvents = async (env: Env) => {
  const folder = values.to ?? path.join(env.DATA_DIR, "archives");
  try {
    const { written, fileName, removed } = await archiveEvents(new Date(before.data), folder, () =>
      backUpArchivedEvents(env),
    );
    if (fileName !== null) console.log(`${written} events are in ${path.join(folder, fileName)}`);
    if (removed > 0) console.log(`${removed} events have left the ledger`);
    const { events, readers } = await countWaitingEvents(new Date(before.data));
    if (events > 0) {
      console.log(
        `${events} events before ${before.data} stay until the service has read them for its ${readers.join(", ")}: run this again later`,
      );
    } else if (fileName === null && removed === 0) {
      console.log(`No event before ${before.data} can leave the ledger`);
    }
    if (removed > 0) {
      console.log(
        "The places of removed events are made free: this can take minutes, and may be stopped",
      );
      await vacuumEvents();
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
};
// The role that serves has no right to remove an event.
await withCommandDatabase(moveEvents, { isOwner: true });
