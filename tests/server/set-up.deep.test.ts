import fs from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataDir, type ServerProcess, startServerProcess } from "../support/server-process";

const APP_ORIGIN = "https://points.example.com";
let dataDir: string;
let instances: ServerProcess[];

beforeAll(async () => {
  dataDir = await createDataDir({ isEmpty: true });
  const start = () => startServerProcess({ dataDir, env: { APP_ORIGIN } });
  instances = [await start(), await start()];
});
afterAll(async () => {
  for (const instance of instances) await instance.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

test("a link's token reaches the page by a post and a cookie, and stands in no address and no log line", async () => {
  const [instance] = instances;
  const [, link = "", token = ""] =
    /(https:\/\/\S+\/set-up#token=(\S+))/.exec(instance?.output() ?? "") ?? [];
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${instance?.url}${path}`, { redirect: "manual", ...init });
  const closed = await ask("/set-up");
  expect([closed.status, await closed.text()]).toEqual([
    403,
    expect.stringContaining('name="link"'),
  ]);
  const posted = await ask("/set-up", {
    method: "POST",
    headers: { Origin: APP_ORIGIN },
    body: new URLSearchParams({ intent: "open", link }),
  });
  // Links that an earlier version made have it in the query.
  const former = await ask(`/set-up?token=${token}`);
  for (const answer of [posted, former]) {
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/set-up"]);
    expect(answer.headers.getSetCookie()).toEqual([
      `__Host-link=${token}; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure`,
    ]);
  }
  const opened = await ask("/set-up", { headers: { Cookie: `__Host-link=${token}` } });
  const page = await opened.text();
  expect([opened.status, page.includes("Create account"), page.includes(token)]).toEqual([
    200,
    true,
    false,
  ]);
  expect(JSON.stringify(instance?.logLines())).not.toContain(token);
});

test("of 50 set-ups at once, at 2 instances and with the links of both, one signs in", async () => {
  const links = instances.map((instance) =>
    /\/set-up#token=\S+/.exec(instance.output())?.[0]?.replace("#", "?"),
  );
  expect(new Set(links).size).toBe(2);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => {
      const body = { name: "Ada", email: `ada${i}@example.com`, password: "correct horse battery" };
      // Every second request uses the other instance's link.
      return fetch(`${instances[i % 2]?.url}${links[(i >> 1) % 2]}`, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: APP_ORIGIN },
        body: new URLSearchParams(body),
      });
    }),
  );
  const cookies = answers.flatMap(({ headers }) => headers.get("set-cookie") ?? []);
  expect(cookies).toEqual([expect.stringMatching(/^__Host-session=\w{40};.* Secure/)]);
  const places = answers.map(({ headers }) => headers.get("location"));
  expect(places.filter((place) => place === "/dashboard")).toHaveLength(1);
  expect(places.filter((place) => place === "/sign-in")).toHaveLength(49);
});

test("an instance that starts later prints no link", async () => {
  const later = await startServerProcess({ dataDir, env: { APP_ORIGIN } });
  await later.end("SIGTERM");
  expect(later.output()).not.toContain("set-up");
});
