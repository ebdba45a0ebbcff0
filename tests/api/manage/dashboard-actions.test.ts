import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { API_ENDPOINTS } from "../../../app/api/endpoints";

const PAGES = "app/routes/dashboard";

/** Finds the actions of a page in its source: its forms by their intents, or the one that it has. */
function findActions(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const intents: string[] = [];
  let hasAction = false;
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === "action") hasAction = true;
    if (
      ts.isPropertyAssignment(node) &&
      ts.isCallExpression(node.initializer) &&
      ["form", "confirmedForm"].includes(node.initializer.expression.getText())
    ) {
      intents.push(ts.isStringLiteral(node.name) ? node.name.text : node.name.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return hasAction && intents.length === 0 ? [""] : intents;
}

const found = readdirSync(PAGES, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) =>
    findActions(file, readFileSync(path.join(PAGES, file), "utf8")).map((intent) =>
      [file.replaceAll(path.sep, "/").replace(/\.tsx?$/, ""), intent].filter(Boolean).join(" "),
    ),
  );

const rows = [
  ...readFileSync("docs/management.md", "utf8").matchAll(/^\| `([^`]+)` +\| (.+?) +\|$/gm),
].map(([, action = "", answer = ""]) => ({ action, answer }));

test("docs/management.md has every action of the dashboard once, and no other", () => {
  expect(found.length).toBeGreaterThan(70);
  expect(rows.map(({ action }) => action).toSorted()).toEqual(found.toSorted());
});

test("each action has an operation that exists, or says why it has none", () => {
  const named = new Set<string>();
  for (const { action, answer } of rows) {
    const operations = [...answer.matchAll(/`([\w/-]+)`/g)].map(([, name = ""]) => name);
    for (const name of operations) {
      const isManaged = `manage/v1/${name}` in API_ENDPOINTS;
      expect(isManaged || name in API_ENDPOINTS, `${action}: ${name}`).toBe(true);
      if (isManaged) named.add(`manage/v1/${name}`);
    }
    if (operations.length === 0) expect(answer, action).toMatch(/^None: \w.+\.$/);
  }
  const writing = Object.entries(API_ENDPOINTS)
    .filter(([, { permission, method }]) => permission === "manage" && method === "POST")
    .map(([at]) => at);
  expect([...named].toSorted()).toEqual(writing.toSorted());
});
