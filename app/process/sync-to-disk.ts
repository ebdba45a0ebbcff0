import { open } from "node:fs/promises";

/**
 * Waits until a file or a folder is on disk.
 * @param place its path
 */
export async function syncToDisk(place: string): Promise<void> {
  const handle = await open(place, "r");
  await handle.sync();
  await handle.close();
}
