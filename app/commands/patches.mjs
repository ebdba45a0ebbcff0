import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runNode } from "./run-node.mjs";

// Plain JavaScript: it runs before the build exists, and after each `npm ci`. A production install has none of the
// patched packages: they are parts of its build.

const PATCHED_FILE = "node_modules/postgres/src/index.js";
/** The property by which createPool, too, knows the patched driver (app/db/pool.ts). */
const MARK = "survivesLostConnections";

/** Checks whether an install without scripts left the patches out. */
export function arePatchesMissing() {
  return existsSync(PATCHED_FILE) && !readFileSync(PATCHED_FILE, "utf8").includes(MARK);
}

/**
 * Applies the patches of app/db/patches, if they are missing: `npm ci --ignore-scripts` leaves them
 * out. A failure ends the process, since the service would not start.
 */
export async function applyPatches() {
  if (!arePatchesMissing()) return;
  console.error("Applying the patches of packages…");
  const status = await runNode([
    "node_modules/patch-package/index.js",
    "--patch-dir",
    "app/db/patches",
    "--error-on-fail",
  ]);
  if (status !== 0) process.exit(status);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await applyPatches();
