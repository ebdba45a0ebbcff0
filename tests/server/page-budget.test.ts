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

const context = { logError: () => {} } as unknown as AppLoadContext;

/** Sends a form as a script of its page does. */
const post = (fields: Record<string, string>, path = "/dashboard/new") =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "sec-fetch-dest": "empty" },
    body: new URLSearchParams(fields),
  });

const fail = async () => {
  throw new Failure("service_unavailable");
};

test("a form that the service cannot take now stays with its text, and says whether it may be sent again", async () => {
  const shape = z.object({ token: z.string(), name: z.string() });
  for (const [token, text] of [
    ["t", "Send the form again: it takes effect once."],
    ["", "Look whether its change was made before you send the form again."],
  ] as const) {
    const request = post({ token, name: "Spring" });
    const answer = await page(() => takeForm({ request, context }, shape, fail))({
      context,
      request,
    });
    expect(answer).toMatchObject({
      data: { problems: { form: expect.stringContaining(text), values: { name: "Spring" } } },
      init: { status: 503, headers: { "Retry-After": "1" } },
    });
  }
});

test("a form whose page's action fails before it reads it stays with its text, but for its password", async () => {
  const request = post({ intent: "update", name: "Spring", confirmPassword: "secret" });
  expect(await page(fail)({ context, request })).toMatchObject({
    data: { problems: { intent: "update", values: { name: "Spring" } } },
    init: { status: 503 },
  });
  expect(
    JSON.stringify(await page(fail)({ context, request: post({ newPassword: "secret" }) })),
  ).not.toContain("secret");
  const signOut = await page(fail)({ context, request: post({}, "/sign-out") }).catch((e) => e);
  expect([signOut.status, signOut.headers.get("retry-after")]).toEqual([503, "1"]);
});
