import { expect, test } from "vitest";
import { runCommand } from "../support/server-process";

const runDemo = (dataDir: string) => runCommand(["app/commands/demo.mjs"], { DATA_DIR: dataDir });

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
  const run = runCommand(["drizzle/seed-demo.ts"], { DATA_DIR: "package.json", PORT: "http" });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: "The environment is not right:\n  PORT: must be a whole number from 0 to 65535\n",
  });
});
