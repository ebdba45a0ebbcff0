import type { Logger } from "pino";
import { expect, test } from "vitest";
import { NotSentError } from "../../app/db/errors";
import { Failure } from "../../app/domain/failure";
import { createErrorLog } from "../../app/server/error-log";
import { FoldError } from "../../app/services/point-systems/fold";
import { doOneByOne } from "../../app/services/runtime/one-by-one";

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** Collects the messages of an error log. */
function createLog() {
  const messages: string[] = [];
  const logger = { error: (_: object, message: string) => messages.push(message) };
  return { messages, logError: createErrorLog(logger as unknown as Logger) };
}

/** Returns the error of a job whose items all fail, or some of them. */
function failEach(...causes: unknown[]): Promise<unknown> {
  return doOneByOne(causes, String, (cause) => Promise.reject(cause)).catch((error) => error);
}

test("an outage is one line, also for jobs that do work item by item", async () => {
  const { messages, logError } = createLog();
  const outages = [
    refused,
    await failEach(refused, new Failure("service_unavailable", { cause: refused })),
  ];
  for (const error of outages) logError({}, error, "job failed");
  expect(messages).toEqual(["the database is unavailable"]);
});

test("a locked point system is told as slow, and does not hide an outage", async () => {
  const { messages, logError } = createLog();
  const locked = Object.assign(new Error("canceling statement"), { code: "55P03" });
  logError({}, locked, "job failed");
  logError({}, new Failure("service_unavailable", { cause: locked }), "request failed");
  logError({}, new Failure("service_unavailable"), "request failed");
  logError({}, await failEach(locked, new NotSentError()), "job failed");
  expect(messages).toEqual(["the database is slow"]);
  logError({}, await failEach(locked, refused), "job failed");
  logError({}, refused, "job failed");
  expect(messages).toEqual(["the database is slow", "the database is unavailable"]);
});

test("an item that fails for a reason of its own is told, also within an outage", async () => {
  const { messages, logError } = createLog();
  logError({}, refused, "job failed");
  logError({}, await failEach(refused, new Error("A file is missing")), "job failed");
  logError({}, await failEach(new Failure("not_found")), "job failed");
  const timedOut = Object.assign(new Error("canceling statement"), { code: "57014" });
  logError(
    {},
    new FoldError("The ranks of one cannot be counted", { cause: timedOut }),
    "job failed",
  );
  const own = ["job failed", "job failed", "job failed"];
  expect(messages).toEqual(["the database is unavailable", ...own]);
});
