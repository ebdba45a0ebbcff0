import { spawnSync } from "node:child_process";
import path from "node:path";
import { findFoundry } from "./find-foundry.mjs";

const ROOT = path.join(import.meta.dirname, "../..");
/** Forge's environment. The caller's environment cannot change the tests. */
const FORGE_ENV = { FOUNDRY_DISABLE_NIGHTLY_WARNING: "1", NO_COLOR: "1" };

/** The result of a run of forge. */
export interface ForgeRun {
  readonly isGreen: boolean;
  readonly output: string;
}

/** Runs forge on the contracts and waits for it. A run over the time limit counts as failed. */
export function runForge(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  timeoutSeconds = 900,
): ForgeRun {
  const { status, stdout, stderr } = spawnSync(findFoundry("forge"), args, {
    cwd: ROOT,
    env: { ...process.env, ...FORGE_ENV, ...env },
    encoding: "utf8",
    timeout: timeoutSeconds * 1000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { isGreen: status === 0, output: stdout + stderr };
}
