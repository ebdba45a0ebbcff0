import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = `
import { createLogger } from "./app/server/logger.ts";
const query = Object.assign(new Error("Failed query: select 'secret'", { cause: new Error("no such table") }), {
  name: "DrizzleQueryError", query: "select 'secret'",
});
const failures = ["A", "B"].map((name) => new Error(name + " failed", { cause: query }));
const { logger, flush } = createLogger("info");
logger.error({ err: new AggregateError(failures, "2 of 3 failed") }, "job failed");
const circle = new Error("circle");
circle.cause = circle;
logger.error({ err: circle }, "job failed");
await flush();`;

test("the log tells of each failure of a job with its reason, and of no statement", async () => {
  const args = ["--import", "tsx", "--input-type=module", "--eval", PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).not.toContain("secret");
  const [job, circle] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const reason = expect.objectContaining({ message: "no such table" });
  expect(job.err).toMatchObject({
    message: "2 of 3 failed",
    errors: [
      { message: "A failed", cause: reason },
      { message: "B failed", cause: reason },
    ],
  });
  expect(circle.err).toMatchObject({ message: "circle", cause: { message: "circle" } });
}, 20_000);
