import { expect, test } from "vitest";
import { z } from "zod";
import { endpoint } from "../../app/api/endpoint";
import { publicEndpoint } from "../../app/api/public-endpoint";
import { createContext } from "../support/call";

const input = { query: z.object({}) };
const failures = [] as const;
const reply = z.strictObject({ isServed: z.boolean() });
const body = { isServed: true };

// tsc holds these: each line that compiles after all is an error of `npm run check`.
const REFUSED_BY_THE_COMPILER = [
  () =>
    // @ts-expect-error an endpoint that declares no scope
    endpoint("wallet", {
      input,
      failures,
      parse: () => ({}),
      reply,
      handle: async () => ({ body }),
    }),
  () =>
    // @ts-expect-error an input that names no point system
    endpoint("wallet", {
      scope: "point-system",
      input,
      failures,
      parse: () => ({}),
      reply,
      handle: async () => ({ body }),
    }),
  () =>
    // @ts-expect-error a statement that did not say which key it accepted
    endpoint("wallet", {
      scope: "in-statement",
      input,
      failures,
      parse: () => ({}),
      reply,
      handle: async () => ({ body }),
    }),
  () =>
    // @ts-expect-error a path of the table that needs a key, served without one
    publicEndpoint("wallet", {
      input,
      failures,
      parse: () => ({}),
      reply,
      handle: async () => body,
    }),
];

test("a declaration without a checked scope does not compile", () => {
  expect(REFUSED_BY_THE_COMPILER).toHaveLength(4);
});

test.each(["any", "point-system"] as const)(
  "a handler of the scope %s runs for no key that does not exist",
  async (scope) => {
    let calls = 0;
    const serve = endpoint("wallet", {
      scope: scope as "point-system",
      input,
      failures,
      parse: () => ({ pointSystemId: crypto.randomUUID() }),
      reply,
      handle: async () => {
        calls += 1;
        return { body };
      },
    });
    const headers = { Authorization: `Bearer rw_${"0".repeat(32)}` };
    const request = new Request("http://test.local/wallet", { headers });
    const context = createContext("192.0.2.1", () => {});
    expect((await serve({ request, context, params: {} })).status).toBe(401);
    expect(calls).toBe(0);
  },
);
