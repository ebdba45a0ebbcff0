import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const text = fs.readFileSync("docs/security.md", "utf8");

test("the checklist has each chapter of ASVS 5.0, once, with requirements or a reason", () => {
  const chapters = text.split(/^## /m).slice(1);
  expect(chapters.map((chapter) => /^V(\d+) /.exec(chapter)?.[1])).toEqual(
    Array.from({ length: 17 }, (_, i) => String(i + 1)),
  );
  for (const chapter of chapters) expect(chapter).toMatch(/\| Requirement +\||Does not apply/);
});

test("each file that the checklist names is there", () => {
  const named = [...text.matchAll(/`((?:tests|app|docs)\/[^`]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((file) => !fs.existsSync(file))).toEqual([]);
});

test("each requirement that is met names a test, or a document", () => {
  const rows = text.split("\n").filter((line) => /^\| \d+\./.test(line));
  expect(rows.length).toBeGreaterThan(70);
  for (const row of rows) expect(row).toMatch(/`tests\/|\]\(|the reverse proxy decides/);
});

test("each document that the checklist links to is there", () => {
  const links = [...text.matchAll(/\]\(((?!https:)[^)#]+)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => !fs.existsSync(path.join("docs", link)))).toEqual([]);
});
