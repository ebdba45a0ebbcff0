import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Makes a release and unpacks it into a new folder.
 * @returns that folder, which has no packages yet
 */
export async function unpackRelease(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "points-release-test-"));
  const installed = path.join(folder, "installed");
  const { stdout } = await run(process.execPath, ["app/commands/release.mjs", folder]);
  mkdirSync(installed);
  await run("tar", ["-xzf", stdout.trim(), "-C", installed, "--strip-components=1"]);
  return installed;
}

/** Copies the packages of a release's lock file, and no others, from this checkout. */
export function copyPackages(installed: string): void {
  const lock = JSON.parse(readFileSync(path.join(installed, "package-lock.json"), "utf8"));
  for (const place of Object.keys(lock.packages).filter((name) => name && existsSync(name))) {
    cpSync(place, path.join(installed, place), { recursive: true, verbatimSymlinks: true });
  }
}

/** Runs one of a release's commands by npm, in its folder, and returns what it prints. */
export async function npmRun(
  installed: string,
  settings: Record<string, string>,
  name: string,
  ...args: string[]
): Promise<string> {
  const env = { ...process.env, DATABASE_URL: "", ...settings };
  const command = ["run", "--silent", name, "--", ...args];
  const { stdout } = await run("npm", command, { cwd: installed, env });
  return stdout;
}
