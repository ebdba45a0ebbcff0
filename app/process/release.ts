import { readFileSync } from "node:fs";
import path from "node:path";

/** The version of this program, as package.json names it. */
export const RELEASE = (
  JSON.parse(readFileSync(path.resolve("package.json"), "utf8")) as { version: string }
).version;
