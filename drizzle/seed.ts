import { readFile } from "node:fs/promises";
import { readOptions, refuseCall } from "../app/commands/options";
import { commandDatabase, openMigratedDatabase } from "../app/db/open";
import { Failure } from "../app/domain/failure";
import { type Env, readEnv } from "../app/env";
import { describeError } from "../app/process/describe-error";
import { lowerPriority } from "../app/process/priority";
import { loadFixture } from "../app/services/fixture/load-fixture";
import type { LoadedApiKey, LoadedPointSystem } from "../app/services/fixture/summary";
import { openKeyring } from "../app/services/keyring/keys";

// npm run db:seed -- FILE.json: loads a fixture file into the database. The exit status is 1 when it cannot, 2 for a
// wrong call.

const USAGE = "npm run db:seed -- FILE.json";
const [file = refuseCall("No file is named", USAGE)] = readOptions(USAGE, {}, 1).positionals;
try {
  await seed(file, readEnv());
} catch (error) {
  console.error(error instanceof Failure ? "The database is not available" : describeError(error));
  process.exitCode = 1;
}

async function seed(file: string, env: Env): Promise<void> {
  const text = await readText(file);
  const close = await openMigratedDatabase(commandDatabase(env, console.error));
  lowerPriority();
  try {
    const { pointSystems, apiKeys } = await loadFixture(parseJson(text, file), {
      getKeyring: () => openKeyring(env),
    });
    for (const pointSystem of pointSystems) console.log(describePointSystem(pointSystem));
    for (const apiKey of apiKeys) console.log(describeApiKey(apiKey));
  } finally {
    await close();
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read: ${describeError(error)}`);
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // The parser's own message repeats a part of the file, which contains keys and passwords.
    throw new Error(`${file} is not JSON`);
  }
}

function describePointSystem(system: LoadedPointSystem): string {
  const { id, name, slug, shortId, wallets, events, triggers, rewards } = system;
  const names = `${slug === null ? "no slug" : `slug ${slug}`}, short id ${shortId}`;
  const holdings = `${wallets} wallets, ${events} events, ${triggers} triggers, ${rewards} rewards`;
  return `point system ${id} ${JSON.stringify(name)} (${names}): ${holdings}`;
}

function describeApiKey({ name, hint, permission, pointSystems }: LoadedApiKey): string {
  return `api key ${JSON.stringify(name)} (#${hint}): permission ${permission}, ${pointSystems} point systems`;
}
