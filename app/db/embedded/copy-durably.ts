import { constants, copyFile } from "node:fs/promises";
import { syncToDisk } from "../../process/sync-to-disk";

/** Copies a file, and waits until the copy is on disk. One that is removed meanwhile is left out. */
export async function copyDurably(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return; // the server has removed it
    throw error;
  }
  await syncToDisk(to);
}
