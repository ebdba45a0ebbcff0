import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PAGES } from "../../../app/domain/access/page-rights";
import { includesRole, type Role } from "../../../app/domain/access/role";
import { INSTALLATION_PAGES } from "../../support/installation-pages";
import { listPointSystemCells } from "../../support/roles";
import { listPagePaths } from "../../support/route-paths";

const ROUTES = path.resolve("app/routes/dashboard");
const ROLES: readonly Role[] = ["viewer", "editor", "owner"];

/** Writes a table as the formatter does: the columns as wide as their widest cells. */
function writeTable(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)));
  lines.splice(
    1,
    0,
    widths.map((width) => "-".repeat(width)),
  );
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function writeRoles(): string {
  const cells = listPointSystemCells().map(({ does, role }) => [
    does,
    ...ROLES.map((own) => (includesRole(own, role) ? "yes" : "–")),
  ]);
  const installation = Object.values(INSTALLATION_PAGES).flatMap((page) => {
    const forms = "forms" in page ? Object.values<string>(page.forms) : [];
    const operator = page.needs === "operator" ? "yes" : "–";
    return [`See: ${page.shows}`, ...forms].map((does) => [does, operator, "yes"]);
  });
  return `# Roles

Written by \`npx vitest run tests/domain/access/roles.test.ts -u\`. The pages of a point system ask the table in
\`app/domain/access/page-rights.ts\`. The other pages are listed in \`tests/support/installation-pages.ts\`. \`tests/server/roles.deep.test.ts\`
tries each cell of both against a server.

## In a point system

An operator who is not a member gets 404 for everything, administrators too. A member whose role is not enough gets 403.

${writeTable([["Action", "Viewer", "Editor", "Owner"], ...cells])}

## Outside point systems

Without a session, each leads to the sign-in page. Operators get 404 for what is the administrators'.

${writeTable([["Action", "Operator", "Administrator"], ...installation])}
`;
}

test("docs/roles.md is what the pages ask", async () => {
  await expect(writeRoles()).toMatchFileSnapshot("../../../docs/roles.md");
});

test("every page of the dashboard is in the table, and no other", () => {
  const beneath = listPagePaths().filter((each) => /^\/dashboard(\/|$)/.test(each));
  const inPointSystem = beneath.filter((each) => each.startsWith("/dashboard/:pointSystemId"));
  const strip = (each: string, root: string) => each.slice(root.length).replace(/^\//, "");
  expect(inPointSystem.map((each) => strip(each, "/dashboard/:pointSystemId")).sort()).toEqual(
    Object.keys(PAGES).sort(),
  );
  const others = beneath.filter((each) => !inPointSystem.includes(each));
  expect(others.map((each) => strip(each, "/dashboard")).sort()).toEqual(
    // It takes the password again, for the operator's own session.
    [...Object.keys(INSTALLATION_PAGES), "confirm"].sort(),
  );
});

test("every form of every page is in the table under its page, and every page asks the table", () => {
  const files = fs.readdirSync(ROUTES, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".tsx"))) {
    const text = fs.readFileSync(path.join(ROUTES, file), "utf8");
    expect(text, file).not.toMatch(/require(Member|Campaign)\(\s*args,\s*"/);
    const intents = [
      ...text.matchAll(/[\s{]"?([\w-]+)"?: (?:confirmedForm\(|form\(|form \})/g),
    ].map(([, intent = ""]) => intent);
    const [, page] = /mayWrite\("([^"]*)"\)/.exec(text) ?? [];
    if (page === undefined) continue;
    const { forms = {}, alone = {} } = PAGES[page as keyof typeof PAGES] as {
      forms?: object;
      alone?: object;
    };
    const declared = [...Object.keys(forms), ...Object.keys(alone)].filter((intent) => intent);
    if (/takeForm\(/.test(text)) continue;
    expect(intents.sort(), file).toEqual(declared.sort());
  }
});
