import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { foldPassword } from "../../domain/accounts/password";

/**
 * The passwords of 12 characters or more among the million commonest, sorted, one a line. Shorter
 * ones are refused for their length. `npm run passwords:build` writes the file, and names its source.
 */
const FILE = path.resolve("app/services/accounts/common-passwords.txt.br");

let list: Promise<string> | undefined;

/** Checks whether a password is one of the commonest, in whatever case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  const folded = foldPassword(password);
  if (folded.includes("\n")) return false;
  list ??= readList();
  list.catch(() => {
    list = undefined;
  });
  return (await list).includes(`\n${folded}\n`);
}

async function readList(): Promise<string> {
  return `\n${(await promisify(brotliDecompress)(await readFile(FILE))).toString("utf8")}\n`;
}
