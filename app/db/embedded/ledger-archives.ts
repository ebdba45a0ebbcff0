import { existsSync, renameSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDir } from "../../process/make-dir.mjs";
import { syncToDisk } from "../../process/sync-to-disk";
import { findArchives } from "./archive";
import { copyDurably } from "./copy-durably";
import { isClusterCreated, locateCluster } from "./location";

/** The folder of files in the data dir to which `npm run ledger:archive` moves events. */
const ledgerArchives = "archives";
/** The end of the name of a file that is not whole. */
const unfinishedEnd = ".part";

/**
 * Copies the files of archived events that another folder does not have. Each appears there when it is whole and on disk.
 * @param from the data dir or a backup's folder, as is `to`
 */
export async function copyLedgerArchives(from: string, to: string): Promise<void> {
  const [source, target] = [join(from, ledgerArchives), join(to, ledgerArchives)];
  if (!existsSync(source)) return;
  makeDir(target, 0o700);
  for (const name of await readdir(source)) {
    if (name.endsWith(unfinishedEnd) || existsSync(join(target, name))) continue;
    const draft = join(target, `${name}.${process.pid}${unfinishedEnd}`);
    try {
      await copyDurably(join(source, name), draft);
      renameSync(draft, join(target, name));
    } finally {
      rmSync(draft, { force: true });
    }
  }
  await syncToDisk(target);
}

/**
 * Copies the files of archived events to the folders to which the cluster of a data dir is backed up.
 * @throws {Error} when they cannot be written there
 */
export async function backUpLedgerArchives(dataDir: string): Promise<void> {
  if (!isClusterCreated(dataDir)) return;
  for (const logFolder of findArchives(locateCluster(dataDir, () => {}))) {
    // A disk that is not mounted has no such folder, and must not get one.
    if (!existsSync(logFolder)) throw new Error(`${logFolder} is not there`);
    await copyLedgerArchives(dataDir, dirname(logFolder));
  }
}
