import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DECLARATIONS } from "../../../app/api/document/declarations";
import { IMPORT_BYTES_MAX } from "../../../app/domain/imports/import";
import { readUploadBody } from "../../../app/http/upload";
import {
  listPatternMakers,
  listPatterns,
  listReaders,
  listScanners,
} from "../../support/source-texts";

const schemaModules = import.meta.glob("../../../app/**/*.inputs.server.ts", { eager: true });

/** Texts that made a parser slow, or might: what is repeated, and what stands around it. */
const REPEATED = [" ", "\t", "\n", "\r\n", '"', '""', "'", ",", "\u2028", "\u2029", "(", "[", "{", "<",
  "0", "9", "a", "A", "-", ".", "_", "/", "%", "=", "a-", "a.", "a ", "a@", '"",', '""\n', " \n", ",\n",
  "a,1\n", "\u0301", "\uFEFF", "\u{1F600}", "0x", "--"]; // biome-ignore format: a table
const AROUND = [
  ["", ""],
  ["a", "b\u2028c"],
  ["0", "!"],
  ['"', "\n"],
  [`0x${"a".repeat(40)}`, "\u2028x"],
] as const;

/** More than linear: ten times the text takes this many times as long. */
const RATIO_MAX = 30;
/** Below this, in milliseconds, a time says nothing. */
const NOTICEABLE_MS = 300;
/** The least time that a shorter text is taken to need: smaller ones are noise. */
const SHORTER_MS_MIN = NOTICEABLE_MS / RATIO_MAX;

function repeat(repeated: string, length: number): string {
  return repeated.repeat(Math.ceil(length / repeated.length));
}

/** Measures a call in processor time: the least of several times, since the machine has other work. */
async function measure(call: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && least > NOTICEABLE_MS; round += 1) {
    const before = process.cpuUsage();
    await ignoreFailure(call);
    least = Math.min(least, process.cpuUsage(before).user / 1_000);
  }
  return least;
}

async function ignoreFailure(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch {
    // What is refused must be refused as fast.
  }
}

/**
 * Feeds a reader texts of growing length.
 * @returns a description of each text whose time grows faster than its length
 */
async function findSteep(
  read: (text: string) => unknown,
  lengths: readonly number[],
): Promise<string[]> {
  const steep: string[] = [];
  for (const repeated of REPEATED) {
    for (const [before, after] of AROUND) {
      let last = SHORTER_MS_MIN;
      for (const length of lengths) {
        // A quadratic reader of a hundred thousand characters takes seconds: a million of them are
        // for the plain texts alone.
        if (length > 100_000 && before !== "") continue;
        const text = before + repeat(repeated, length) + after;
        const ms = await measure(() => read(text));
        if (ms > NOTICEABLE_MS && ms > last * RATIO_MAX) {
          steep.push(
            `${JSON.stringify([before, repeated, after])} of ${length}: ${last} to ${ms} ms`,
          );
          break;
        }
        last = Math.max(ms, last);
      }
    }
  }
  return steep;
}

test("the sweep tells a quadratic reader from a linear one", async () => {
  const quadratic = /^"?([^\s,;"]+)"?(?:\s*[,;]\s*|\s+|$)(.*)$/;
  expect(await findSteep((text) => quadratic.test(text), [3_000, 30_000])).not.toEqual([]);
  expect(await findSteep((text) => text.trim(), [100_000, 1_000_000])).toEqual([]);
}, 60_000);

test("the time of every regular expression of the source grows with the text, not faster", async () => {
  const patterns = listPatterns();
  expect(patterns.length).toBeGreaterThan(50);
  for (const { where, pattern } of patterns) {
    const steep = await findSteep((text) => text.replace(pattern, ""), [3_000, 30_000]);
    expect(steep, `${where} ${pattern}`).toEqual([]);
  }
}, 120_000);

/** Files that make regular expressions from texts, and why no stranger's text is one. */
const PATTERN_MAKERS = {
  "api/input.ts": "the documented form of an address",
  "components/docs/code.tsx": "the tokens of samples",
  "components/wallet/safe-app.ts": "an origin of the settings, escaped",
  "db/citus/shard-functions.ts": "the names of this service's own tables and functions",
  "db/citus/shard-query.ts": "the names of this service's own tables",
  "domain/point-systems/trigger-key.ts": "a length; its parser is swept",
};

/** Files that search texts by hand and have no reader in the sweep, and why. */
const OTHER_SCANNERS = {
  "api/document/openapi.ts": "reads the texts of this service's own document",
  "components/docs/code.tsx": "reads this service's own samples",
  "db/apply-functions.ts": "reads this service's own SQL",
  "db/citus/shard-functions.ts": "reads this service's own SQL",
  "db/embedded/backup.ts": "reads names of the backup's files",
  "db/embedded/location.ts": "reads the machine's list of users",
  "db/embedded/restore.ts": "reads names of its own folders",
  "db/errors.ts": "reads PostgreSQL's own messages, which quote no value",
  "db/replicas.ts": "reads an id",
  "env.ts": "reads the settings",
  "http/form.ts": "reads the first 4 KiB of a form",
  "services/keyring/keys.ts": "reads the settings",
};

test("a parser that is new is in the sweep, or on a list with its reason", () => {
  expect(listPatternMakers()).toEqual(Object.keys(PATTERN_MAKERS));
  const swept = listReaders().map(({ where }) => where.split(":")[0]);
  expect(listScanners().filter((file) => !swept.includes(file))).toEqual(
    Object.keys(OTHER_SCANNERS),
  );
});

test("the time of a form with a file grows with its bytes, not faster", async () => {
  const read = (name: string, text: string) => {
    const body = `----\r\nContent-Disposition: form-data; ${name}\r\n\r\n${text}\r\n------\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=--" };
    const request = new Request("http://localhost", { method: "POST", headers, body });
    return readUploadBody(request);
  };
  expect((await read('name="a"', "b")).get("a")).toBe("b");
  expect(await findSteep((text) => read('name="a"', text), [100_000, 1_000_000])).toEqual([]);
  expect(await findSteep((text) => read(text, ""), [300, 3_000])).toEqual([]);
}, 60_000);

describe("the time of an endpoint's schema grows with its fields, not faster:", () => {
  const schemas = Object.entries(DECLARATIONS).map(([path, { input }]) => ({
    path,
    schema: "query" in input ? input.query : input.body,
  }));
  // A query and nearly every body end at 16 KiB.
  test.each(schemas)("$path", async ({ schema }) => {
    const fields = Object.keys(schema.shape);
    const read = async (text: string) => {
      await schema.safeParseAsync(Object.fromEntries(fields.map((field) => [field, text])));
      await schema.safeParseAsync(Object.fromEntries(fields.map((field) => [field, [text]])));
    };
    expect(await findSteep(read, [3_000, 30_000])).toEqual([]);
  });
});

describe("the time of a parser grows with the text, not faster:", () => {
  test.each(listReaders())(
    "$where $name",
    async ({ file, name, others }) => {
      const module = (await import(file)) as Record<string, (...args: unknown[]) => unknown>;
      const read = async (text: string) => {
        const answer = await module[name]?.(text, ...others);
        if (isGenerator(answer)) for await (const _ of answer);
      };
      expect(await findSteep(read, [100_000, 1_000_000])).toEqual([]);
    },
    300_000,
  );
});

test("no file of the largest size holds the process up for more than an instant", async () => {
  const readers = listReaders().filter(({ file }) =>
    /\/services\/(imports|gift-cards)\//.test(file),
  );
  expect(readers.length).toBeGreaterThan(2);
  for (const { file, name, others, where } of readers) {
    const module = (await import(file)) as Record<string, (...args: unknown[]) => unknown>;
    for (const repeated of REPEATED) {
      const text = repeat(repeated, IMPORT_BYTES_MAX).slice(0, IMPORT_BYTES_MAX);
      const read = async () => {
        const answer = await module[name]?.(text, ...others);
        if (isGenerator(answer)) for await (const _ of answer);
      };
      // What else runs on the machine may hold one reading up, but not three.
      let longestMs = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 3 && longestMs >= 400; tries += 1) {
        longestMs = Math.min(longestMs, await measurePause(read));
      }
      expect(longestMs, `${where} ${JSON.stringify(repeated)}`).toBeLessThan(400);
    }
  }
}, 300_000);

describe("the time of a form's schema grows with its fields, not faster:", () => {
  const schemas = Object.entries(schemaModules).flatMap(([file, module]) =>
    Object.entries(module as object).flatMap(([name, schema]) =>
      schema instanceof z.ZodType ? [{ file: file.split("/").at(-1), name, schema }] : [],
    ),
  );
  test.each(schemas)(
    "$file $name",
    async ({ schema }) => {
      const read = async (text: string) => {
        schema.safeParse(text);
        if (!(schema instanceof z.ZodObject)) return;
        const fields = Object.keys(schema.shape);
        // A field that takes several values takes one, too.
        await schema.safeParseAsync(Object.fromEntries(fields.map((field) => [field, text])));
        await schema.safeParseAsync(Object.fromEntries(fields.map((field) => [field, [text]])));
      };
      expect(await findSteep(read, [100_000, 1_000_000])).toEqual([]);
    },
    300_000,
  );
});

function isGenerator(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Measures the longest time for which other work of the process waits. */
async function measurePause(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const tick = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(tick, 1);
  await ignoreFailure(work);
  await new Promise((resolve) => setImmediate(resolve));
  tick();
  clearInterval(timer);
  return longest;
}
