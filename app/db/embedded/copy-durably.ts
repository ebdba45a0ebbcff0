import { constants, copyFile, open } from "node:fs/promises";

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

/** Waits until a file or a folder is on disk. */
export async function syncToDisk(place: string): Promise<void> {
  const handle = await open(place, "r");
  await handle.sync();
  await handle.close();
}
