import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { cleanUps } from "./seeded-server";

/**
 * Makes an installation of the next version until the test's end: this one with other texts of some files.
 * @param changes by the file
 */
export async function installNext(
  changes: Readonly<Record<string, (text: string) => string>>,
): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-next-"));
  cleanUps.push(() => fs.rm(folder, { recursive: true, force: true }));
  for (const name of ["app", "drizzle", "package.json"]) {
    await fs.cp(name, path.join(folder, name), { recursive: true });
  }
  await fs.symlink(path.resolve("node_modules"), path.join(folder, "node_modules"));
  for (const [file, change] of Object.entries(changes)) {
    const text = await fs.readFile(file, "utf8").catch(() => "");
    await fs.writeFile(path.join(folder, file), change(text));
  }
  return folder;
}

/** Declares that a function's next text is safe beside this one. */
export const declareSafe = (text: string) =>
  `${text}-- safe beside ${createHash("sha256").update(text).digest("hex")}\n`;
