import fs from "node:fs/promises";
import { eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { operators } from "../../app/db/schema/operators";
import { pointSystemMembers } from "../../app/db/schema/point-systems";
import { includesRole, type Role } from "../../app/domain/access/role";
import { createHarbour, HARBOUR } from "../support/harbour";
import { INSTALLATION_PAGES } from "../support/installation-pages";
import { listPointSystemCells } from "../support/roles";
import { fillPath } from "../support/route-paths";
import {
  createDataDir,
  type ServerProcess,
  seed,
  startServerProcess,
} from "../support/server-process";

// Tries each cell of docs/roles.md: each page is read and each form is sent by everyone.

const PASSWORD = "correct horse battery";
const PEOPLE = ["owner", "editor", "viewer", "operator", "administrator"] as const;
const ROLES: readonly Role[] = ["viewer", "editor", "owner"];
const ROLE_MISSING = "Your role in this point system does not allow this";

let server: ServerProcess;
let dataDir: string;
const cookies = new Map<string, string>();

const getEmail = (person: string) => `${person}@example.com`;

beforeAll(async () => {
  dataDir = await createDataDir();
  server = await startServerProcess({ dataDir });
  await seed(dataDir, {
    operators: PEOPLE.map((name) => ({ name, email: getEmail(name), password: PASSWORD })),
    pointSystems: [createHarbour(getEmail("owner"))],
  });
  for (const person of PEOPLE) {
    const answer = await send("/sign-in", "", { email: getEmail(person), password: PASSWORD });
    cookies.set(person, answer.headers.getSetCookie()[0]?.split(";")[0] ?? "");
  }
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

async function setRoles(): Promise<void> {
  const close = await openMigratedDatabase(commandDatabase({ DATA_DIR: dataDir }, () => {}));
  try {
    await withDatabase(async (db) => {
      await db
        .update(operators)
        .set({ isAdministrator: true })
        .where(eq(operators.email, getEmail("administrator")));
      await db
        .update(operators)
        .set({ isAdministrator: false })
        .where(inArray(operators.email, [getEmail("owner"), getEmail("operator")]));
      const rows = await db.select().from(operators);
      const members = rows.flatMap(({ id, name }) =>
        name === "editor" || name === "viewer"
          ? [
              {
                pointSystemId: HARBOUR.pointSystemId,
                operatorId: id,
                role: name as "editor" | "viewer",
              },
            ]
          : [],
      );
      await db.insert(pointSystemMembers).values(members).onConflictDoNothing();
    });
  } finally {
    await close();
  }
}

async function send(path: string, cookie: string, form?: Record<string, string>) {
  return fetch(server.url + path, {
    redirect: "manual",
    headers: { cookie, ...(form && { origin: server.url }) },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
}

/** Asks as a person, and tells how the answer refuses them: not at all, or by its status. */
async function ask(
  path: string,
  intent: string | null,
  person: string,
): Promise<"reached" | "sign in" | "role" | "not found" | "other refusal"> {
  // An admin's name is checked before the role.
  const form = intent === null ? undefined : { intent, admin: HARBOUR.address };
  const answer = await send(path, cookies.get(person) ?? "", form);
  if (answer.headers.get("location")?.endsWith("/sign-in")) return "sign in";
  if (answer.status === 404) {
    await answer.body?.cancel();
    return "not found";
  }
  if (answer.status !== 403) {
    await answer.body?.cancel();
    return "reached";
  }
  return (await answer.text()).includes(ROLE_MISSING) ? "role" : "other refusal";
}

/** Pages without anything to see in this point system: a member whose role is enough finds nothing. */
const HAS_NOTHING = /importId|webhookId|boostId|:board|:streakKey|payouts|safe.json/;

test("each cell of a point system's table is as it says: pages read, and forms sent", async () => {
  // An earlier attempt's members have left.
  await setRoles();
  // Who leaves is no member any more.
  const cells = listPointSystemCells().sort(
    (a, b) => Number(a.intent === "leave") - Number(b.intent === "leave"),
  );
  const wrong: string[] = [];
  for (const { page, intent, role } of cells) {
    const filled = fillPath(`/dashboard/${HARBOUR.pointSystemId}${page && `/${page}`}`, HARBOUR);
    // The page is the index of a layout without forms.
    const path = page === "rewards/:rewardId" ? `${filled}?index` : filled;
    const expectedOf = (person: string) => {
      if (person === "nobody") return ["sign in"];
      const own = ROLES.find((each) => each === person);
      if (!own) return ["not found"];
      if (!includesRole(own, role)) return ["role"];
      const isStrict = intent === null && !HAS_NOTHING.test(page);
      return isStrict ? ["reached"] : ["reached", "not found", "other refusal"];
    };
    const people = ["nobody", "operator", "administrator", ...ROLES];
    const answers = await Promise.all(people.map((person) => ask(path, intent, person)));
    for (const [i, person] of people.entries()) {
      const answer = answers[i] ?? "";
      if (expectedOf(person).includes(answer)) continue;
      wrong.push(`${person} ${intent ?? "reads"} ${page}: ${answer}, not ${expectedOf(person)}`);
    }
  }
  expect(wrong).toEqual([]);
}, 240_000);

test("each cell of the installation's table is as it says", async () => {
  await setRoles();
  const wrong: string[] = [];
  for (const [page, rights] of Object.entries(INSTALLATION_PAGES)) {
    const forms = "forms" in rights ? Object.keys(rights.forms) : [];
    // These end the session, or sign in anew.
    const tried = forms.filter((intent) => !["end", "end-others"].includes(intent));
    for (const intent of [null, ...tried]) {
      for (const person of ["nobody", "operator", "administrator"]) {
        const answer = await ask(`/dashboard${page && `/${page}`}`, intent, person);
        const isRefused = rights.needs === "administrator" && person === "operator";
        const expected = person === "nobody" ? "sign in" : isRefused ? "not found" : "reached";
        // A form without fields names nobody and nothing.
        const namesNothing = expected === "reached" && intent !== null && answer === "not found";
        if (answer === expected || namesNothing) continue;
        wrong.push(`${person} ${intent ?? "reads"} ${page}: ${answer}`);
      }
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);
