import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. Node's own recursion never ends where the system says that a folder cannot
 * be there: in /proc, or where an automounter has nothing to mount.
 * @param {string} folder
 * @returns {string | undefined} the first folder that was missing
 */
export function makeDir(folder, mode = 0o777) {
  if (existsSync(folder)) return undefined;
  const firstMade = makeDir(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(folder)) throw error;
  }
  return firstMade ?? folder;
}
