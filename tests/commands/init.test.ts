import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseEnv, promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseKeys } from "../../app/services/keyring/keys";

let folder: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-init-"));
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

const init = () =>
  promisify(execFile)(process.execPath, [path.resolve("app/commands/init.mjs")], {
    cwd: folder,
    env: { ...process.env, DATA_DIR: "" },
  });
const readSettings = () => fs.readFile(path.join(folder, ".env"), "utf8");

test("writes a file that only its owner reads, with random secrets and nothing else set", async () => {
  const { stdout } = await init();
  expect(stdout).toContain("npm start");
  const { mode } = await fs.stat(path.join(folder, ".env"));
  expect(mode & 0o777).toBe(0o600);
  const text = await readSettings();
  const settings = parseEnv(text);
  expect(Object.keys(settings)).toEqual(["GIFT_CARD_KEYS"]);
  expect(parseKeys(settings.GIFT_CARD_KEYS ?? "").size).toBe(1);
  expect(stdout).not.toContain(settings.GIFT_CARD_KEYS?.slice(3));

  const example = await fs.readFile(".env.example", "utf8");
  const names = (file: string) => file.match(/^(?:# )?[A-Z][A-Z0-9_]*(?==)/gm) ?? [];
  const bare = (file: string) => names(file).map((name) => name.replace("# ", ""));
  expect(bare(text)).toEqual(bare(example));

  await fs.rm(path.join(folder, ".env"));
  await init();
  expect(await readSettings()).not.toBe(text);
});

test("writes over nothing", async () => {
  await fs.writeFile(path.join(folder, ".env"), "PORT=4000\n");
  await expect(init()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("was left as it is"),
  });
  expect(await readSettings()).toBe("PORT=4000\n");
});

test("says in a sentence that a key it would keep cannot be read, and writes nothing", async () => {
  await fs.mkdir(path.join(folder, ".data", "gift-card-keys"), { recursive: true });
  await expect(init()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^\.env was not written: EISDIR: [^\n]*\n$/),
  });
  await expect(readSettings()).rejects.toThrow("ENOENT");
});

test("keeps the key that the embedded database's codes are encrypted with", async () => {
  const keys = `k1:${"0123456789abcdef".repeat(4)}`;
  await fs.mkdir(path.join(folder, ".data"));
  await fs.writeFile(path.join(folder, ".data", "gift-card-keys"), `${keys}\n`);
  await init();
  expect(parseEnv(await readSettings()).GIFT_CARD_KEYS).toBe(keys);
});
