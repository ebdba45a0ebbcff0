import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readArguments } from "./build.mjs";

// npm run init: writes a .env with random secrets and all settings. Plain JavaScript without
// packages: it runs before anything is installed.

readArguments("npm run init");

const FILE = ".env";
const EXAMPLE = new URL("../../.env.example", import.meta.url);
/** The embedded database's key file, if it exists already. */
const KEY_FILE = path.join(process.env.DATA_DIR || ".data", "gift-card-keys");

/**
 * Chooses the gift card keys. An existing key is kept, so that codes encrypted with it stay
 * readable.
 */
function chooseGiftCardKeys() {
  if (existsSync(KEY_FILE)) return readFileSync(KEY_FILE, "utf8").trim();
  return `k1:${randomBytes(32).toString("hex")}`;
}

/**
 * Creates the settings from the example. Each setting except the secrets is commented out and keeps
 * its default.
 */
function createSettings() {
  return readFileSync(EXAMPLE, "utf8")
    .replace(
      /^# Copy to \.env.*\n/,
      "# Every line is optional, and shows its default or an example.\n",
    )
    .replace(/^(?=[A-Z])/gm, "# ")
    .replace(/^# GIFT_CARD_KEYS=.*$/m, `GIFT_CARD_KEYS=${chooseGiftCardKeys()}`);
}

try {
  // Only the file's owner may read it, and an existing file is never overwritten.
  writeFileSync(FILE, createSettings(), { flag: "wx", mode: 0o600 });
  console.log(`Wrote ${FILE}: random secrets, and every other setting to choose from.

Next:
  1. Keep a copy of GIFT_CARD_KEYS apart from the database: without it no gift card can be read.
  2. For a public service set APP_ORIGIN, and DATABASE_URL if you have a PostgreSQL of your own.
     Give GIFT_CARD_KEYS to every instance.
  3. npm start`);
} catch (error) {
  if (!(error instanceof Error && "code" in error)) throw error;
  const isThere = error.code === "EEXIST";
  console.error(
    isThere
      ? `${FILE} is there already and was left as it is.`
      : `${FILE} was not written: ${error.message}`,
  );
  process.exitCode = 1;
}
