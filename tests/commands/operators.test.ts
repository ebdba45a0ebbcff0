import fs from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDataDir,
  runCommand,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const PASSWORD = "another long passphrase";
const GRACE = { email: "grace@example.com", password: "a long passphrase", name: "Grace" };
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess({ dataDir: await createDataDir() });
  const { operators, ...rest } = SMALL_FIXTURE.file;
  await seed(server.dataDir, { ...rest, operators: [...operators, GRACE] });
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

const run = (args: string[], env: Record<string, string> = {}) =>
  runCommand(["app/commands/operators.ts", ...args], { DATA_DIR: server.dataDir, ...env });
const post = (path: string, body: Record<string, string>, cookie = "") =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: server.url, Cookie: cookie },
    body: new URLSearchParams(body),
  });
const signIn = (email: string, password: string) => post("/sign-in", { email, password });

test("list names every operator and who is an administrator", async () => {
  const { stdout } = await run(["list"]);
  expect(stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^grace@example\.com\tGrace\toperator\tsince \d{4}-/),
    expect.stringMatching(/^ops@example\.com\tOps\tadministrator\tsince \d{4}-/),
  ]);
});

test("make-administrator makes one, who sees the operators' page from then on", async () => {
  const cookie = (await signIn(GRACE.email, GRACE.password)).headers.get("set-cookie") ?? "";
  const open = () => fetch(`${server.url}/dashboard/operators`, { headers: { Cookie: cookie } });
  expect((await open()).status).toBe(404);
  await run(["make-administrator", "Grace@Example.com"]);
  expect((await open()).status).toBe(200);
});

test("reset prints a link that sets a password once, and the log holds neither", async () => {
  const { stdout } = await run(["reset", GRACE.email], {
    APP_ORIGIN: "https://points.example.com",
  });
  const [, path = "", token = ""] =
    /^https:\/\/points\.example\.com(\/reset-password\?token=([\w-]{43}))\n$/.exec(stdout) ?? [];
  expect((await fetch(`${server.url}${path}`)).status).toBe(200);
  const answer = await post(path, { password: PASSWORD });
  expect(answer.headers.get("location")).toBe("/dashboard");
  const cookie = answer.headers.get("set-cookie") ?? "";
  const dashboard = await fetch(`${server.url}/dashboard`, { headers: { Cookie: cookie } });
  expect(dashboard.status).toBe(200);
  expect((await signIn(GRACE.email, GRACE.password)).status).toBe(401);
  expect((await signIn(GRACE.email, PASSWORD)).headers.get("location")).toBe("/dashboard");
  const again = await fetch(`${server.url}${path}`);
  expect(again.status).toBe(403);
  expect(again.headers.get("cache-control")).toBe("no-store");
  expect(again.headers.get("referrer-policy")).toBe("same-origin");
  expect(await again.text()).toContain("This link does not work");
  const refused = await post(path, { password: PASSWORD });
  expect(refused.status).toBe(403);
  // A request's log line is written after its answer.
  const requestId = refused.headers.get("x-request-id");
  const findLine = () => server.logLines().find((line) => line.requestId === requestId);
  await waitUntil(() => findLine() !== undefined, 5_000);
  expect(findLine()).toMatchObject({ route: "/reset-password", status: 403 });
  const log = JSON.stringify(server.logLines());
  for (const secret of [token, PASSWORD]) expect(log + server.output()).not.toContain(secret);
});

test("without APP_ORIGIN the link begins with where the server listens", async () => {
  const { stdout } = await run(["reset", GRACE.email], { HOST: "0.0.0.0", PORT: "4321" });
  expect(stdout).toMatch(/^http:\/\/localhost:4321\/reset-password\?token=/);
});

test.each([
  [["reset", "nobody@example.com"], "There is no operator with this email address.\n"],
  [["make-administrator", "nobody@example.com"], "There is no operator with this email address.\n"],
  [["reset"], expect.stringMatching(/^Usage:/)],
  [["delete", GRACE.email], expect.stringMatching(/^Usage:/)],
  [[], expect.stringMatching(/^Usage:/)],
])("%j is refused with exit status 1", async (args, stderr) => {
  await expect(run(args)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
});
