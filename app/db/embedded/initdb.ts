import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries";
import { type ClusterLocation, recordLocation } from "./location";
import { getChildEnv } from "./processes";

/** The superuser of the cluster, which owns the tables. It does not serve. */
export const username = "app";
/** The file is in the cluster's own folder, so that both are created together and always match. */
export const passwordFileName = "app-password";
const draftPrefix = "pg.init-";

function syncDir(dir: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(dir, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function runInitdb(initdb: string, args: string[], user: ClusterLocation["user"]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(initdb, args, {
      ...user,
      cwd: "/",
      env: getChildEnv(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let message = "";
    child.stderr.on("data", (chunk) => {
      message += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed with exit code ${code}:\n${message.trim()}`));
    });
  });
}

/**
 * Creates the cluster in a draft folder and renames it when it is complete and on disk. A process
 * killed half-way therefore leaves nothing that looks like a cluster. The caller must hold the lock
 * for starting.
 * @param isDurable false skips the sync to disk, for tests
 */
export async function createCluster(
  location: ClusterLocation,
  binaries: Binaries,
  isDurable: boolean,
): Promise<void> {
  const { rootDir, clusterDir, user } = location;
  // An initdb whose parent was killed may still be writing: hence the retries, and a new folder.
  const leftovers = readdirSync(rootDir).filter((name) => name.startsWith(draftPrefix));
  for (const name of leftovers) {
    await rm(join(rootDir, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
  const draftDir = mkdtempSync(join(rootDir, draftPrefix));
  const dataDir = join(draftDir, "data");
  const passwordFile = join(draftDir, passwordFileName);
  try {
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(passwordFile, randomBytes(24).toString("hex"), { mode: 0o600, flush: true });
    if (user)
      for (const path of [draftDir, dataDir, passwordFile]) chownSync(path, user.uid, user.gid);
    const access = ["-U", username, "--pwfile", passwordFile, "--auth=scram-sha-256"];
    const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
    const durability = isDurable ? [] : ["--no-sync"];
    const encoding = ["--encoding=UTF8", ...locale];
    const args = ["-D", dataDir, ...access, ...encoding, ...durability, "--no-instructions"];
    await runInitdb(binaries.initdb, args, user);
    renameSync(passwordFile, join(dataDir, passwordFileName));
    syncDir(dataDir);
    renameSync(dataDir, clusterDir);
    syncDir(rootDir);
    recordLocation(location);
  } finally {
    await rm(draftDir, { recursive: true, force: true });
  }
}
