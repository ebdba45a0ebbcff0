import fs from "node:fs/promises";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { authenticators } from "../../app/db/schema/factors";
import { operators } from "../../app/db/schema/operators";
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
const OPS = { email: "ops@example.com", password: "a long passphrase" };
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess({ dataDir: await createDataDir() });
  const { file } = SMALL_FIXTURE;
  await seed(server.dataDir, { ...file, operators: [...file.operators, GRACE] });
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

const run = (args: string[], env: Record<string, string> = {}) =>
  runCommand(["operators", ...args], { DATA_DIR: server.dataDir, ...env });
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
  const [, token = ""] =
    /^https:\/\/points\.example\.com\/reset-password#token=([\w-]{43})\n$/.exec(stdout) ?? [];
  const path = `/reset-password?token=${token}`;
  const openLink = () =>
    fetch(`${server.url}/reset-password`, { headers: { Cookie: `link=${token}` } });
  expect((await openLink()).status).toBe(200);
  const answer = await post(path, { password: PASSWORD });
  expect(answer.headers.get("location")).toBe("/dashboard");
  const cookie = answer.headers.get("set-cookie") ?? "";
  const dashboard = await fetch(`${server.url}/dashboard`, { headers: { Cookie: cookie } });
  expect(dashboard.status).toBe(200);
  expect((await signIn(GRACE.email, GRACE.password)).status).toBe(401);
  expect((await signIn(GRACE.email, PASSWORD)).headers.get("location")).toBe("/dashboard");
  const again = await openLink();
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
  expect(stdout).toMatch(/^http:\/\/localhost:4321\/reset-password#token=/);
});

/** Changes the operator's rows as a lost phone or an administrator would. */
async function change(work: (operatorId: string) => Promise<unknown>): Promise<void> {
  const close = await openMigratedDatabase(commandDatabase({ DATA_DIR: server.dataDir }, () => {}));
  try {
    const [row] = await withDatabase((db) =>
      db.select({ id: operators.id }).from(operators).where(eq(operators.email, OPS.email)),
    );
    await work(row?.id ?? "");
  } finally {
    await close();
  }
}

test("enable lets a disabled operator sign in again", async () => {
  await change((id) =>
    withDatabase((db) =>
      db.update(operators).set({ disabledAt: new Date() }).where(eq(operators.id, id)),
    ),
  );
  expect((await signIn(OPS.email, OPS.password)).headers.get("location")).toBe(null);
  expect((await run(["list"])).stdout).toMatch(/^ops@example\.com\t.*\tdisabled$/m);
  expect((await run(["enable", "Ops@Example.com"])).stdout).toBe(
    "Ops (ops@example.com) can sign in.\n",
  );
  expect((await signIn(OPS.email, OPS.password)).headers.get("location")).toBe("/dashboard");
}, 90_000);

test("reset-factors lets an operator whose phone is lost sign in by the password alone", async () => {
  await change((operatorId) =>
    withDatabase((db) =>
      db
        .insert(authenticators)
        .values({ operatorId, secret: Buffer.alloc(20, 7), confirmedAt: new Date() })
        .onConflictDoNothing(),
    ),
  );
  expect((await signIn(OPS.email, OPS.password)).headers.get("location")).not.toBe("/dashboard");
  expect((await run(["reset-factors", OPS.email])).stdout).toBe(
    "Ops (ops@example.com) signs in with only a password.\n",
  );
  expect((await signIn(OPS.email, OPS.password)).headers.get("location")).toBe("/dashboard");
}, 90_000);

test.each([
  [["reset", "nobody@example.com"], "There is no operator with this email address.\n"],
  [["enable", "nobody@example.com"], "There is no operator with this email address.\n"],
  [["reset-factors", "nobody@example.com"], "There is no operator with this email address.\n"],
  [["make-administrator", "nobody@example.com"], "There is no operator with this email address.\n"],
])("%j is refused with exit status 1", async (args, stderr) => {
  await expect(run(args)).rejects.toMatchObject({ code: 1, stdout: "", stderr });
});
