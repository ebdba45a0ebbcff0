import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** A folder on a small disk of its own. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk to its last byte. The answer makes room again. */
  readonly fill: () => Promise<() => Promise<void>>;
  readonly remove: () => Promise<void>;
}

/**
 * Makes a folder on a disk of some mebibytes, in memory. Only root of Linux can; elsewhere it is a usual folder that
 * cannot be filled.
 */
export async function createDisk(mebibytes: number): Promise<SmallDisk & { canFill: boolean }> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-disk-"));
  const run = promisify(execFile);
  const canFill = await run("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${mebibytes}m`,
    "tmpfs",
    folder,
  ]).then(
    () => true,
    () => false,
  );
  await fs.chmod(folder, 0o755);
  const ballast = path.join(folder, "ballast");
  return {
    folder,
    canFill,
    async fill() {
      const file = createWriteStream(ballast);
      const block = Buffer.alloc(1024 * 1024);
      await new Promise<void>((resolve) => {
        file.on("error", () => resolve());
        const write = () => file.write(block, (error) => (error ? resolve() : write()));
        write();
      });
      file.destroy();
      return () => fs.rm(ballast, { force: true });
    },
    async remove() {
      if (canFill) await run("umount", ["-l", folder]);
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}
