import fs from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHarbour, HARBOUR } from "../support/harbour";
import { fillPath, listPagePaths } from "../support/route-paths";
import {
  createDataDir,
  type ServerProcess,
  seed,
  startServerProcess,
} from "../support/server-process";

// Requests every page and action below a point system, found in the URL map, with another owner's
// ids.

const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const EVE = { name: "Eve", email: "eve@example.com", password: "another long passphrase" };

let server: ServerProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = await createDataDir();
  server = await startServerProcess({ dataDir });
  await seed(dataDir, {
    operators: [ADA, EVE],
    pointSystems: [createHarbour(ADA.email)],
  });
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

const paths = () => listPagePaths().filter((path) => path.includes(":pointSystemId"));

async function send(path: string, cookie: string, body?: string): Promise<Response> {
  return fetch(server.url + path, {
    ...(body !== undefined && { method: "POST", body }),
    headers: {
      cookie,
      ...(body !== undefined && {
        origin: server.url,
        "content-type": "application/x-www-form-urlencoded",
      }),
    },
    redirect: "manual",
  });
}

async function signIn({ email, password }: typeof ADA): Promise<string> {
  const answer = await send("/sign-in", "", String(new URLSearchParams({ email, password })));
  expect(answer.status).toBe(302);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

test("another operator finds nothing by the ids of somebody's point system: no page, no action", async () => {
  const cookie = await signIn(EVE);
  expect(paths().length).toBeGreaterThan(10);
  for (const path of paths().map((pattern) => fillPath(pattern, HARBOUR))) {
    const read = await send(path, cookie);
    expect(read.status, `GET ${path}`).toBe(404);
    expect(await read.text(), `GET ${path}`).not.toContain("Harbour");
    for (const body of [
      "",
      "intent=update&name=Mine&slug=",
      "intent=delete&confirmation=Harbour",
      "intent=distribute&rule=most-points",
      "intent=removeCodes&tier=Gold",
    ]) {
      const { status } = await send(path, cookie, body);
      // A page without an action answers 405.
      expect([404, 405], `POST ${path} ${body}`).toContain(status);
    }
  }
  const owner = await send(`/dashboard/${HARBOUR.pointSystemId}`, await signIn(ADA));
  expect(await owner.text()).toContain("Harbour");
});

/** Every path that needs no session, and what it is for. Others are beneath /dashboard. */
const OPEN_PATHS = {
  "/": "start page",
  "/openapi.json": "the OpenAPI document",
  "/docs.md": "the reference as Markdown",
  "/llms.txt": "the reference's pages for language models",
  "/llms-full.txt": "the reference for language models",
  "/docs/contract-abi.json": "the campaign contract's ABI",
  "/docs": "the reference",
  "/docs/endpoints/:endpoint": "an endpoint's page; a session chooses the ids in its samples",
  "/docs/errors": "the list of errors",
  "/docs/errors/:code": "an error's page",
  "/docs/:guide": "a guide; a session chooses the ids in its samples",
  "/sign-in": "signs an operator in",
  "/sign-in/passkey": "signs an operator in by a passkey",
  "/sign-out": "ends the caller's session",
  "/sign-up": "makes an account where sign-up is open",
  "/set-up": "makes the first account, with the set-up link",
  "/invitation": "makes an account or a membership, with the link",
  "/reset-password": "sets a password, with the link",
  "/l/:slug": "public leaderboard",
  "/l/:slug/embed": "public leaderboard in a frame",
  "/l/:slug/share.png": "public leaderboard's picture, limited by network",
  "/claim/hint": "names a transaction, limited by network",
  "/claim/:slug": "claim page",
  "/claim/:slug/manifest.json": "claim page for Safe",
  "/claim/:slug/logo": "operator's logo",
  "/claim/:slug/wallet": "a wallet's rewards, limited by network",
  "/claim/:slug/:campaign/tree.json": "trees of a funded campaign, limited by network",
  "/claim/:slug/link-wallets":
    "takes the signatures of wallets that are linked or unlinked, limited by network",
  "/claim/:slug/gift-card": "asks for and takes a wallet's signature, limited by network",
  "/.well-known/security.txt": "names whom to tell about vulnerabilities",
  "/csp-report": "takes browsers' reports, limited",
};

test("a path that needs no session is one of a list: a new page is closed or put on it", () => {
  const open = listPagePaths().filter((path) => !/^\/dashboard(\/|$)/.test(path));
  expect(open.toSorted()).toEqual(Object.keys(OPEN_PATHS).toSorted());
});

test("whoever is not signed in is sent to sign in, by every page of the dashboard", async () => {
  const all = listPagePaths().filter((path) => path.startsWith("/dashboard"));
  for (const path of all.map((pattern) => fillPath(pattern, HARBOUR))) {
    const read = await send(path, "");
    expect([read.status, read.headers.get("location")], `GET ${path}`).toEqual([302, "/sign-in"]);
    const written = await send(path, "", "intent=delete");
    const isRefused = written.status === 405 || written.headers.get("location") === "/sign-in";
    expect(isRefused, `POST ${path} answers ${written.status}`).toBe(true);
  }
});
