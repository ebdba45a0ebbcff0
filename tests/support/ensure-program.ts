import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";

/**
 * Finds a program, and installs it where no confirmation is needed: as root on Debian or Ubuntu.
 * @param aptPackage the package that contains it
 * @throws {Error} with `hint` as its message when the program is missing
 */
export function ensureProgram(program: string, aptPackage: string, hint: string): void {
  if (isOnPath(program)) return;
  if (process.getuid?.() !== 0 || !isOnPath("apt-get")) throw new Error(hint);
  console.error(`Installing ${aptPackage}…`);
  for (const args of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", aptPackage],
  ]) {
    spawnSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  }
  if (!isOnPath(program)) throw new Error(hint);
}

/**
 * Finds a program that tests can do without, or installs it as `ensureProgram` does. Where it is missing, says so:
 * the tests that need it are then skipped, not passed.
 * @param covers what is not tested without it
 */
export function findProgram(program: string, aptPackage: string, covers: string): boolean {
  try {
    ensureProgram(program, aptPackage, `${program} is missing, so ${covers} is NOT TESTED here`);
    return true;
  } catch (error) {
    console.warn(error instanceof Error ? error.message : error);
    return false;
  }
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
