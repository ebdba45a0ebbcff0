import type { AppLoadContext } from "@remix-run/node";
import { expect, test } from "vitest";
import { z } from "zod";
import { Failure } from "../../app/domain/failure";
import { takeForm } from "../../app/http/form";
import { page } from "../../app/http/page";
import { createPageBudget } from "../../app/http/page-budget";

test("a network has its budget of pages in each minute, is told the wait, and costs no other network", () => {
  let now = 0;
  const take = createPageBudget(3, () => now);
  expect([1, 2, 3].map(() => take("192.0.2.1"))).toEqual([null, null, null]);
  now = 10_000;
  expect(take("192.0.2.1")).toBe(50);
  expect(take("192.0.2.2")).toBe(null);
  now = 60_000;
  expect([1, 2, 3, 4].map(() => take("192.0.2.1"))).toEqual([null, null, null, 60]);
});

test("the addresses of one subscriber of IPv6 share a budget", () => {
  const take = createPageBudget(1, () => 0);
  expect(take("2001:db8::1")).toBe(null);
  expect(take("2001:db8::ffff:1")).toBe(60);
  expect(take("2001:db8:0:1::1")).toBe(null);
});

test("a form that the service cannot take now is answered with 503 and Retry-After, whether it has a token or not", async () => {
  const context = { logError: () => {} } as unknown as AppLoadContext;
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const request = new Request("http://localhost/", { method: "POST", body });
    return takeForm({ request, context }, z.object({ token: z.string() }), async () => {
      throw new Failure("service_unavailable");
    });
  };
  expect((await send({ token: "t" })).init).toMatchObject({
    status: 503,
    headers: { "Retry-After": "1" },
  });
  const thrown = await page(() => send({ token: "" }))({
    context,
    request: new Request("http://localhost/", { method: "POST" }),
  }).catch((error) => error);
  expect([thrown.status, thrown.headers.get("retry-after")]).toEqual([503, "1"]);
});
