import fs from "node:fs";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { createDataDir } from "../support/server-process";

/** Makes one migrated cluster for the run; `createDataDir` copies it. Making one takes seconds, a copy does not. */
export default async function makeTemplate(): Promise<() => void> {
  const template = await createDataDir();
  const close = await openMigratedDatabase(commandDatabase({ DATA_DIR: template }, () => {}));
  await close();
  // The workers of Vitest and of Playwright inherit it.
  process.env.TEST_DATA_TEMPLATE = template;
  return () => fs.rmSync(template, { recursive: true, force: true });
}
