import { expect, test } from "vitest";
import { makeSettings } from "../../app/commands/demo/settings.mjs";
import { SETTINGS } from "../../app/env";
import { runNode } from "../support/server-process";

const runDemo = (dataDir: string) => runNode(["app/commands/demo.mjs"], { DATA_DIR: dataDir });

test("a demo whose folder cannot be made says so at once", async () => {
  await expect(runDemo("package.json")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^DATA_DIR: package\.json\/demo cannot be used: ENOTDIR.*\n$/),
    stdout: "",
  });
});

test.runIf(process.platform === "linux")(
  "a demo in a folder that the system refuses does not wait for ever",
  async () => {
    await expect(runDemo("/proc/points")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATA_DIR: \/proc\/points\/demo cannot be used: ENOENT.*\n$/),
    });
  },
);

test("a demo with a wrong setting names it", async () => {
  const run = runNode(["--import", "tsx", "drizzle/seed-demo.ts"], {
    DATA_DIR: "package.json",
    PORT: "http",
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: "The environment is not right:\n  PORT: must be a whole number from 0 to 65535\n",
  });
});

test("a demo takes neither database, chain nor port of the configured service", () => {
  const own = makeSettings("demo", "http://127.0.0.1:8545", "http://127.0.0.1:8545");
  const ofService = SETTINGS.filter((name) =>
    /^(DATABASE(_URL|_REPLICA_URLS)?|METRICS_PORT|(PUBLIC_)?(RPC|PAYMASTER)_URL_\d{2,}|CAMPAIGN_.*)$/.test(
      name,
    ),
  );
  expect(Object.keys(own)).toEqual(expect.arrayContaining(ofService));
  const filled = Object.entries(own).filter(([name, value]) => value && ofService.includes(name));
  expect(Object.fromEntries(filled)).toEqual({
    DATABASE: "embedded",
    RPC_URL_84532: "http://127.0.0.1:8545",
    PUBLIC_RPC_URL_84532: "http://127.0.0.1:8545",
  });
});
