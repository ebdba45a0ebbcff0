import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findArrowProblems, findSizeProblems } from "../check-arrows.mjs";

const arrows = JSON.parse(readFileSync("arrows.json", "utf8"));

/** Checks some files against the project's own list. */
function check(files: Record<string, string>): string[] {
  return findArrowProblems(
    arrows,
    Object.keys(files),
    (file: string) => files[file] ?? "",
    (file: string) => file in files,
  );
}

describe("an import that arrows.json does not allow is named:", () => {
  test.each([
    ["app/domain/address.ts", "app/db/client.ts"],
    ["app/domain/failure.ts", "app/domain/rewards/reward.ts"],
    ["app/db/client.ts", "app/services/board/wallets.ts"],
    ["app/db/client.ts", "app/chain/rpc/chains.ts"],
    ["app/chain/ens/ens.ts", "app/db/client.ts"],
    ["app/auth/sessions.ts", "app/services/access/members.ts"],
    ["app/services/board/wallets.ts", "app/api/endpoint.ts"],
    ["app/services/board/wallets.ts", "app/server/health.ts"],
    ["app/services/ledger/credit.ts", "app/services/board/wallets.ts"],
    ["app/services/follower/store.ts", "app/services/campaigns/chain/page.ts"],
    ["app/api/wallet.ts", "app/db/client.ts"],
    ["app/http/form.ts", "app/api/input.ts"],
    ["app/routes/start.tsx", "app/db/client.ts"],
    ["app/routes/claims/claim.tsx", "app/api/endpoint.ts"],
    ["app/components/ui/badge.tsx", "app/services/board/wallets.ts"],
    ["app/components/ui/badge.tsx", "app/routes/start.tsx"],
    ["app/components/claims/token-card.tsx", "app/components/dashboard/shell/shell.tsx"],
    ["app/commands/operators.ts", "app/routes/start.tsx"],
    ["app/worker/jobs.ts", "app/db/client.ts"],
  ])("%s -> %s", (file, target) => {
    const up = "../".repeat(file.split("/").length - 1);
    const text = `import { x } from "${up}${target.replace(/\.tsx?$/, "")}";`;
    const [from, to] = [file, target].map((path) => path.slice(0, path.lastIndexOf("/")));
    expect(check({ [file]: text, [target]: "" })).toEqual([
      `${file} imports ${target}: ${from} may not import ${to}`,
    ]);
  });

  test.each([
    ["static", 'import { db } from "../db/client";'],
    ["of a type", 'import type { Database } from "../db/client";'],
    ["dynamic", 'export const load = () => import("../db/client");'],
    ["passed on", 'export { db } from "../db/client";'],
  ])("one that is %s", (_, text) => {
    expect(check({ "app/domain/address.ts": text, "app/db/client.ts": "" })).toHaveLength(1);
  });
});

test.each([
  ["app/services/accounts/sign-in.ts", "lucia"],
  ["app/services/board/wallets.ts", "postgres"],
  ["app/domain/address.ts", "drizzle-orm/pg-core"],
  ["app/domain/address.ts", "react"],
  ["app/components/ui/badge.tsx", "wagmi"],
])("%s may not import the package %s", (file, name) => {
  expect(check({ [file]: `import "${name}";` })).toEqual([
    `${file} imports ${name}: arrows.json does not allow it`,
  ]);
});

test("a folder that arrows.json does not list is refused", () => {
  expect(check({ "app/services/utils/text.ts": "" })).toEqual([
    "app/services/utils/text.ts: arrows.json does not list the folder app/services/utils",
  ]);
});

test("a circle of imports is named, also when it is one of types", () => {
  const circle = {
    "app/domain/a.ts": 'import { b } from "./b";',
    "app/domain/b.ts": 'import type { A } from "./a";',
  };
  expect(check(circle)).toEqual(["Circle: app/domain/a.ts -> app/domain/b.ts -> app/domain/a.ts"]);
});

test("a folder of more than 25 files and a file of more than 320 lines are named", () => {
  const names = Array.from({ length: 26 }, (_, i) => `app/domain/rule-${i}.ts`);
  const read = () => "\n".repeat(320);
  expect(findSizeProblems(names.slice(1), read)).toEqual([]);
  expect(findSizeProblems(names, read)).toEqual(["app/domain: 26 files, at most 25"]);
  expect(findSizeProblems(["app/domain/a.ts"], () => "\n".repeat(321))).toEqual([
    "app/domain/a.ts: 321 lines, at most 320",
  ]);
});
