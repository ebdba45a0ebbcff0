import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const text = fs.readFileSync("docs/security.md", "utf8");

/** The requirements of levels 1 and 2 in each section of ASVS 5.0.0: in each, they come first. */
const SECTIONS = `1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2
  4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4
  7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 11.1:2 11.2:3 11.3:3
  11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3
  15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3`;
/** Chapters that do not apply as a whole. */
const ABSENT_CHAPTERS = ["10", "17"];
const REQUIREMENTS = SECTIONS.split(/\s+/).flatMap((entry) => {
  const [section, count] = entry.split(":");
  return Array.from({ length: Number(count) }, (_, n) => `${section}.${n + 1}`);
});

/** Lists the requirements that a text names: one by one, by "to", or a section as a whole. */
function listNamed(from: string): string[] {
  return [...from.matchAll(/\b(\d+\.\d+(?:\.\d+)?)(?: to (\d+\.\d+\.\d+))?/g)].flatMap(
    ([, first = "", last]) => {
      const [start, end] = [REQUIREMENTS.indexOf(first), REQUIREMENTS.indexOf(last ?? first)];
      if (start >= 0) return REQUIREMENTS.slice(start, end + 1);
      return REQUIREMENTS.filter((id) => id.startsWith(`${first}.`));
    },
  );
}

const chapters = text.split(/^## /m).slice(1);
const rows = text.split("\n").filter((line) => /^\| \d+\./.test(line));

test("the checklist has each chapter of ASVS 5.0, once, with requirements or a reason", () => {
  expect(chapters.map((chapter) => /^V(\d+) /.exec(chapter)?.[1])).toEqual(
    Array.from({ length: 17 }, (_, i) => String(i + 1)),
  );
  for (const chapter of chapters) expect(chapter).toMatch(/\| Requirement +\||Does not apply/);
});

test("each requirement of levels 1 and 2 has one row, or one reason why it does not apply", () => {
  const met = rows.flatMap((row) => listNamed(row.split("|")[1] ?? ""));
  const reasons = text.match(/^Does not apply: (?:.+\n)+/gm) ?? [];
  expect(reasons.length).toBeGreaterThan(5);
  const absent = reasons.flatMap(listNamed);
  expect([...met, ...absent].sort()).toEqual([...REQUIREMENTS].sort());
  for (const number of ABSENT_CHAPTERS) expect(chapters[Number(number) - 1]).not.toContain("|");
});

test("each gap is one of the requirements, with its reason in a decision", () => {
  const gaps = [...text.matchAll(/^\*\*Gap\*\*: (\d+\.\d+\.\d+), /gm)].map(([, id = ""]) => id);
  expect(gaps.length).toBeGreaterThan(0);
  expect(gaps.filter((id) => !REQUIREMENTS.includes(id))).toEqual([]);
  const decision = fs.readFileSync("docs/decisions/081-asvs-beside-the-text.md", "utf8");
  expect(gaps.filter((id) => !decision.includes(`(${id})`))).toEqual([]);
});

test("each file that the checklist names is there", () => {
  const named = [...text.matchAll(/`((?:tests|app|docs)\/[^`]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((file) => !fs.existsSync(file))).toEqual([]);
});

test("each requirement that is met names a test, or a document", () => {
  expect(rows.length).toBeGreaterThan(70);
  for (const row of rows) expect(row).toMatch(/`tests\/|\]\(|the reverse proxy decides/);
});

test("each document that the checklist links to is there", () => {
  const links = [...text.matchAll(/\]\(((?!https:|#)[^)#]+)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => !fs.existsSync(path.join("docs", link)))).toEqual([]);
});
