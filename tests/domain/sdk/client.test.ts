import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { describeError } from "../../../app/api/document/errors";
import { createOpenApiDocument, type Operation } from "../../../app/api/document/openapi";
import { toSampleCall } from "../../../app/api/document/pages";
import { CLIENT_ENDPOINTS, type ClientPath } from "../../../app/api/endpoints";
import { API_ERROR_CODES } from "../../../app/domain/reference/error-help";
import { EXAMPLE } from "../../../app/domain/reference/example";
import { type ClientOptions, PointsClient } from "../../../sdk/src/client";
import * as errors from "../../../sdk/src/errors";
import { type HttpFake, sendJson, startHttpFake } from "../../support/fakes/http-fake";

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

let fake: HttpFake | undefined;
afterEach(() => fake?.stop());

/** Starts a service that gives these answers one after the other, and the last one again and again. */
async function serve(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const calls: { request: IncomingMessage; body: string; at: number }[] = [];
  fake = await startHttpFake((request, body, response) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)];
    calls.push({ request, body, at: performance.now() });
    answer?.(response, request, body);
  });
  const pauses: number[] = [];
  const onRetry = (_: Error, pauseMs: number) => pauses.push(pauseMs);
  const client = new PointsClient({ baseUrl: fake.url, apiKey: "rw_1", onRetry, ...options });
  return { client, calls, pauses };
}

const REQUEST_ID = "6f1c2f0a-3b0e-4a52-9d0b-5f3f5e1d7c11";
const ok: Answer = (response) =>
  sendJson(response, { success: true, pointsAdded: 10, triggerKey: "a", walletAddress: "0x1" });
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "X-Request-Id": REQUEST_ID, ...headers });
    response.end(JSON.stringify({ error: "Text", message: "Text", code }));
  };
const lose: Answer = (response) => response.destroy();
const CREDIT = { triggerKey: "a", walletAddress: "0x1", pointSystemId: "p" };
const WALLET = { pointSystemId: "p", address: "0x1" };
const getError = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error as errors.ApiError,
  );

const paths = Object.keys(CLIENT_ENDPOINTS) as ClientPath[];
test.each(paths)(
  "the operation of /%s is a method that sends the documented call",
  async (path) => {
    const { client, calls } = await serve([(response) => sendJson(response, {})]);
    const { operationId, request, headers, method, needsKey } = toSampleCall(path, EXAMPLE);
    const idempotencyKey = headers["Idempotency-Key"];
    // biome-ignore lint/suspicious/noExplicitAny: the name comes from the document
    await (client as any)[operationId](request, idempotencyKey && { idempotencyKey });
    const [call] = calls;
    const url = new URL(call?.request.url ?? "", "http://service");
    expect([call?.request.method, url.pathname]).toEqual([method, `/${path}`]);
    expect(call?.request.headers.authorization).toBe(needsKey ? "Bearer rw_1" : undefined);
    expect(call?.request.headers["idempotency-key"]).toBe(idempotencyKey);
    const sent =
      method === "GET" ? Object.fromEntries(url.searchParams) : JSON.parse(call?.body ?? "");
    const expected =
      method === "GET"
        ? Object.fromEntries(Object.entries(request).map(([name, value]) => [name, String(value)]))
        : request;
    expect(sent).toMatchObject(expected);
  },
);

test("a retryForMs that is no number, of a setting that is missing, repeats nothing", async () => {
  const { client, calls } = await serve([refuse(503, "not_credited"), ok]);
  const call = client.creditPoints(CREDIT, { retryForMs: Number(undefined) });
  expect((await getError(call)).code).toBe("not_credited");
  expect(calls).toHaveLength(1);
});

test("the client has a method for each operation of applications", () => {
  const operations = Object.values(createOpenApiDocument().paths).flatMap((at) =>
    Object.values(at),
  );
  const methods = Object.getOwnPropertyNames(PointsClient.prototype);
  for (const { operationId, tags } of operations as Operation[]) {
    if (!tags.includes("Management")) expect(methods).toContain(operationId);
  }
});

test("an address with a path and a slash keeps its path", async () => {
  const { calls } = await serve([ok]);
  for (const baseUrl of [`${fake?.url}/api/sdk`, `${fake?.url}/api/sdk/`]) {
    await new PointsClient({ baseUrl }).getProof({ onchainId: "1", chainId: 1, address: "0x1" });
  }
  for (const { request } of calls) expect(request.url).toMatch(/^\/api\/sdk\/rewards\/proof\?/);
});

test("a call that needs a key is not sent without one", async () => {
  const { client, calls } = await serve([ok], { apiKey: undefined });
  await expect(client.getWallet(WALLET)).rejects.toThrow("apiKey");
  expect(calls).toEqual([]);
});

describe("errors", () => {
  test("each documented code has a class, with code, status and request id", async () => {
    for (const code of API_ERROR_CODES) {
      const { status } = describeError(code);
      const error = errors.createApiError({
        ...{ code, status, message: "Text", requestId: REQUEST_ID },
        ...{ retryAfterSeconds: null, item: null },
      });
      expect(error.constructor, code).not.toBe(errors.ApiError);
      expect(error, code).toMatchObject({ code, status, requestId: REQUEST_ID });
      expect(error.name).toBe(error.constructor.name);
    }
  });

  test.each<[number, string, new (answer: errors.ErrorAnswer) => errors.ApiError]>([
    [400, "missing_fields", errors.InvalidRequestError],
    [401, "invalid_api_key", errors.AuthenticationError],
    [403, "point_system_out_of_scope", errors.PermissionError],
    [403, "wallet_blacklisted", errors.RefusedCreditError],
    [404, "trigger_not_found", errors.NotFoundError],
    [409, "trigger_not_found", errors.NotFoundError],
    [409, "idempotency_key_reused", errors.IdempotencyError],
    [429, "rate_limit_exceeded", errors.RateLimitError],
    [500, "internal_error", errors.ServerError],
    [503, "not_credited", errors.UnavailableError],
    [404, "of_a_later_version", errors.NotFoundError],
    [422, "toString", errors.InvalidRequestError],
    [418, "constructor", errors.InvalidRequestError],
    [599, "of_a_later_version", errors.ApiError],
  ])("an answer %i %s is of its class", async (status, code, Class) => {
    const { client } = await serve([refuse(status, code)], { retryForMs: 0 });
    const error = await getError(client.creditPoints(CREDIT, { idempotencyKey: "k" }));
    expect(error.constructor).toBe(Class);
    expect(error).toMatchObject({ status, code, requestId: REQUEST_ID, idempotencyKey: "k" });
  });

  test("the place of a batch's item and the wait are in the error", async () => {
    const answer: Answer = (response) => {
      response.writeHead(409, { "Retry-After": "7" });
      response.end(JSON.stringify({ message: "Text", code: "rate_limit_exceeded", item: 0 }));
    };
    const { client } = await serve([answer]);
    const error = await getError(
      client.creditBatch({ pointSystemId: "p", items: [], atomic: true }),
    );
    expect(error).toMatchObject({ item: 0, retryAfterSeconds: 7 });
    expect(error).toBeInstanceOf(errors.RateLimitError);
  });

  test.each<[string, Answer]>([
    ["a page", (response) => response.end("<html>")],
    ["nothing", (response) => response.writeHead(200).end()],
    ["a text", (response) => response.end('"text"')],
    ["a redirect", (response) => response.writeHead(302, { Location: "/wallet" }).end()],
    ["a success without JSON", (response) => response.writeHead(204).end()],
  ])("%s in place of an answer is an unexpected_answer, once", async (_, answer) => {
    const { client, calls } = await serve([answer]);
    expect(await getError(client.getWallet(WALLET))).toMatchObject({ code: "unexpected_answer" });
    expect(calls).toHaveLength(1);
  });
});

describe("retries", () => {
  test.each<[string, Answer]>([
    ["503 not_credited", refuse(503, "not_credited")],
    ["503 outcome_unknown", refuse(503, "outcome_unknown")],
    ["503 service_unavailable", refuse(503, "service_unavailable")],
    ["408 request_timeout", refuse(408, "request_timeout")],
    ["429", refuse(429, "rate_limit_exceeded")],
    ["a proxy's 502", (response) => response.writeHead(502).end("<html>Bad gateway")],
    ["a lost connection", lose],
    [
      "half an answer",
      (response) => {
        response.writeHead(200, { "Content-Length": "100" });
        response.write('{"success"', () => response.destroy());
      },
    ],
  ])("a credit is repeated with one and the same key after %s", async (_, failure) => {
    const { client, calls, pauses } = await serve([failure, failure, ok]);
    expect(await client.creditPoints(CREDIT)).toMatchObject({ pointsAdded: 10, replayed: false });
    expect(calls).toHaveLength(3);
    const keys = calls.map(({ request }) => request.headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    expect(pauses).toHaveLength(2);
    for (const [i, pauseMs] of pauses.entries()) expect(pauseMs).toBeLessThanOrEqual(250 * 2 ** i);
  });

  test.each([400, 401, 403, 404, 405, 409, 413, 415, 417, 431, 500, 501])(
    "an answer %i is not repeated",
    async (status) => {
      const { client, calls } = await serve([refuse(status, "some_code"), ok]);
      await getError(client.creditPoints(CREDIT));
      expect(calls).toHaveLength(1);
    },
  );

  test("an item's key, given or random, is the same in each attempt of its batch", async () => {
    const answer: Answer = (response) =>
      sendJson(response, { results: [], credited: 2, refused: 0 });
    const { client, calls } = await serve([refuse(503, "outcome_unknown"), lose, answer]);
    const item = { triggerKey: "a", walletAddress: "0x1" };
    await client.creditBatch({
      pointSystemId: "p",
      items: [item, { ...item, idempotencyKey: "k" }],
    });
    const keys = calls.map(({ body }) =>
      JSON.parse(body).items.map((each: { idempotencyKey: string }) => each.idempotencyKey),
    );
    expect(keys).toHaveLength(3);
    expect(keys[0][0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[0][1]).toBe("k");
    for (const each of keys) expect(each).toEqual(keys[0]);
  });

  test("a batch that fails gives the keys of its items, with which it is safe to send again", async () => {
    const { client, calls } = await serve([refuse(503, "outcome_unknown")], { retryForMs: 0 });
    const item = { triggerKey: "a", walletAddress: "0x1" };
    const items = [item, { ...item, idempotencyKey: "k" }];
    const error = await getError(client.creditBatch({ pointSystemId: "p", items }));
    const sent = JSON.parse(calls[0]?.body ?? "").items;
    expect(error.idempotencyKeys).toEqual([sent[0].idempotencyKey, "k"]);
  });

  test("Retry-After is waited for", async () => {
    const { client, calls, pauses } = await serve([
      refuse(503, "not_credited", { "Retry-After": "1" }),
      ok,
    ]);
    await client.creditPoints(CREDIT);
    const [first, second] = calls;
    // Timers of Node may fire a millisecond early.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990);
    expect(pauses[0]).toBeGreaterThanOrEqual(1_000);
  });

  test("a wait that is longer than retryForMs ends in the error at once", async () => {
    const answer = refuse(429, "rate_limit_exceeded", { "Retry-After": "58" });
    const { client, calls } = await serve([answer, ok], { retryForMs: 57_000 });
    const error = await getError(client.creditPoints(CREDIT));
    expect(error).toMatchObject({ retryAfterSeconds: 58 });
    expect(calls).toHaveLength(1);
  });

  test.each([
    ["503 outcome_unknown", refuse(503, "outcome_unknown"), "outcome_unknown"],
    ["a lost connection", lose, undefined],
    ["502 of a proxy", refuse(502, "bad_gateway"), "bad_gateway"],
  ])(
    "a credit that is not taken after %s ends in that attempt's error: it may be there",
    async (_, first, code) => {
      const late = refuse(503, "not_credited", { "Retry-After": "58" });
      const { client, calls } = await serve([first, late, ok], { retryForMs: 57_000 });
      const error = await getError(client.creditPoints(CREDIT));
      expect(calls).toHaveLength(2);
      expect((error as errors.ApiError).code).toBe(code);
      if (code === undefined) expect(error).toBeInstanceOf(errors.ConnectionError);
    },
  );

  test.each<[string, Answer, string]>([
    ["a revoked key", refuse(401, "invalid_api_key"), "invalid_api_key"],
    [
      "a missing permission",
      refuse(403, "trigger_permission_missing"),
      "trigger_permission_missing",
    ],
    ["an unknown path", refuse(404, "not_found"), "not_found"],
    ["a bug", refuse(500, "internal_error"), "internal_error"],
    ["a proxy's page", (response) => response.writeHead(403).end("<html>"), "unexpected_answer"],
  ])("a credit of unknown outcome is not hidden by %s", async (_, refusal, code) => {
    const { client, calls } = await serve([refuse(503, "outcome_unknown"), refusal]);
    const error = await getError(client.creditPoints(CREDIT));
    expect(calls).toHaveLength(2);
    expect(error).toMatchObject({ code: "outcome_unknown", cause: { code } });
    expect(error.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    [403, "trigger_inactive"],
    [404, "trigger_not_found"],
    [403, "wallet_blacklisted"],
    [400, "points_limit_reached"],
    [429, "trigger_cap_reached"],
    [409, "insufficient_points"],
    [409, "idempotency_key_reused"],
  ])("%i %s comes after the look for the key, and ends the call", async (status, code) => {
    const { client, calls } = await serve([refuse(503, "outcome_unknown"), refuse(status, code)]);
    expect(await getError(client.creditPoints(CREDIT))).toMatchObject({ code });
    expect(calls).toHaveLength(2);
  });

  test("a read ends in its last attempt's error", async () => {
    const { client } = await serve([lose, refuse(401, "invalid_api_key")]);
    expect(await getError(client.getWallet(WALLET))).toMatchObject({ code: "invalid_api_key" });
  });

  test("a credit that no attempt wrote ends in not_credited", async () => {
    const late = refuse(503, "not_credited", { "Retry-After": "58" });
    const { client } = await serve([refuse(503, "not_credited"), late], { retryForMs: 57_000 });
    const error = await getError(client.creditPoints(CREDIT));
    expect(error).toMatchObject({ code: "not_credited" });
  });

  test("retryForMs of 0 makes a single attempt, for the client or for a call", async () => {
    const { client, calls } = await serve([lose]);
    const error = await getError(client.getWallet(WALLET, { retryForMs: 0 }));
    expect(error).toBeInstanceOf(errors.ConnectionError);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.requestId).toBe(null);
    expect(calls).toHaveLength(1);
  });

  test("without an answer in time the attempt ends, and is repeated", async () => {
    const { client, calls } = await serve([() => {}, ok, () => {}]);
    await client.creditPoints(CREDIT, { timeoutMs: 300 });
    expect(calls).toHaveLength(2);
    const single = client.getWallet(WALLET, { timeoutMs: 1, retryForMs: 0 });
    expect(await getError(single)).toBeInstanceOf(errors.TimeoutError);
  });

  test("an answer whose body never ends is too late as well", async () => {
    const half: Answer = (response) => response.write('{"success"');
    const { client } = await serve([half]);
    const call = client.getWallet(WALLET, { timeoutMs: 300, retryForMs: 0 });
    expect(await getError(call)).toBeInstanceOf(errors.TimeoutError);
  });

  test("a header that cannot be sent is the caller's mistake, and is not repeated", async () => {
    const { client, calls, pauses } = await serve([ok]);
    await expect(client.creditPoints(CREDIT, { idempotencyKey: "a\nb" })).rejects.toThrow(
      TypeError,
    );
    expect([calls, pauses]).toEqual([[], []]);
  });
});

describe("an AbortSignal", () => {
  test("ends an attempt with its reason, and no other begins", async () => {
    const abort = new AbortController();
    const { client, calls } = await serve([() => abort.abort("enough"), ok]);
    await expect(client.creditPoints(CREDIT, { signal: abort.signal })).rejects.toBe("enough");
    expect(calls).toHaveLength(1);
  });

  test("ends a pause", async () => {
    const abort = new AbortController();
    const onRetry = () => queueMicrotask(() => abort.abort());
    const answer = refuse(503, "not_credited", { "Retry-After": "50" });
    const { client, calls } = await serve([answer, ok], { onRetry });
    const call = client.creditPoints(CREDIT, { signal: abort.signal });
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(calls).toHaveLength(1);
  });

  test("ends a credit of unknown outcome with its reason", async () => {
    const abort = new AbortController();
    const reason = new DOMException("enough", "TimeoutError");
    const { client } = await serve([lose, () => abort.abort(reason)]);
    await expect(client.creditPoints(CREDIT, { signal: abort.signal })).rejects.toBe(reason);
  });

  test("that is aborted before sends nothing", async () => {
    const { client, calls } = await serve([ok]);
    const call = client.creditPoints(CREDIT, { signal: AbortSignal.abort("no") });
    await expect(call).rejects.toBe("no");
    expect(calls).toEqual([]);
  });
});

describe("iterators", () => {
  /** Answers pages of a list that the test changes between them. */
  const page =
    (name: string, list: () => object[]): Answer =>
    (response, request) => {
      const query = new URL(request.url ?? "", "http://service").searchParams;
      const [at, limit] = [Number(query.get("page")), Number(query.get("limit"))];
      const total = list().length;
      sendJson(response, {
        [name]: list().slice((at - 1) * limit, at * limit),
        pagination: { page: at, limit, total, totalPages: Math.ceil(total / limit) },
      });
    };
  const collect = async <T>(items: AsyncIterable<T>) => {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  };
  /** Events of which three share a time. */
  const event = (i: number) => ({
    id: `id-${String(i).padStart(5, "0")}`,
    date: new Date(1_700_000_000_000 + Math.floor(i / 3) * 1_000).toISOString(),
  });
  const newestFirst = (count: number) =>
    Array.from({ length: count }, (_, i) => event(count - 1 - i));

  test.each([0, 1, 9, 10, 11, 40])("yield each of %i events, a page at a time", async (count) => {
    const { client, calls } = await serve([page("activity", () => newestFirst(count))]);
    const all = await collect(client.eachEvent({ pointSystemId: "p", limit: 10 }));
    expect(all).toEqual(newestFirst(count));
    expect(calls).toHaveLength(Math.max(1, Math.ceil(count / 10)));
  });

  test.each([1, 2, 3, 10, 25])(
    "yield each event once while %i are added before each page",
    async (added) => {
      let count = 40;
      const { client } = await serve([
        (...args) => {
          page("activity", () => newestFirst(count))(...args);
          if (count < 200) count += added;
        },
      ]);
      const all = await collect(client.eachEvent({ pointSystemId: "p", limit: 10 }));
      expect(all).toEqual(newestFirst(40));
    },
  );

  test("yield no wallet twice while others move up, and ask for 200 by default", async () => {
    const wallets = Array.from({ length: 450 }, (_, i) => ({
      address: `0x${String(i).padStart(40, "0")}`,
      points: 1_000 - Math.floor(i / 7),
    }));
    let pages = 0;
    const { client, calls } = await serve([
      (...args) => {
        page("leaderboard", () => wallets)(...args);
        // The last one takes the lead.
        const last = wallets.pop();
        if (last) wallets.unshift({ ...last, points: 2_000 + pages++ });
      },
    ]);
    const all = await collect(client.eachWallet({ pointSystemId: "p" }));
    expect(calls[0]?.request.url).toContain("limit=200");
    const addresses = all.map(({ address }) => address);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses).toHaveLength(448);
  });

  test("that are left early ask for no further page", async () => {
    const { client, calls } = await serve([page("activity", () => newestFirst(40))]);
    for await (const { id } of client.eachEvent({ pointSystemId: "p", limit: 10 })) {
      if (id === event(35).id) break;
    }
    expect(calls).toHaveLength(1);
  });
});
