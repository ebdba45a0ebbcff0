import { stringify } from "csv-stringify/sync";
import { expect, test } from "vitest";
import { BLACKLIST_COLUMNS, parseBlacklistLines } from "../../../app/domain/ledger/blacklist-lines";

const A = `0x${"a".repeat(40)}` as const;
const B = `0x${"b".repeat(40)}` as const;

test.each([
  [A, null],
  [A.toUpperCase().replace("0X", "0x"), null],
  [`  ${A}  `, null],
  [`${A},`, null],
  [`${A}, sold twice`, "sold twice"],
  [`${A};sold, twice`, "sold, twice"],
  [`${A} sold twice`, "sold twice"],
  [`${A}\tsold\ttwice`, "sold twice"],
  [`${A},"sold ""twice"", again"`, 'sold "twice", again'],
  [`"${A}","sold"`, "sold"],
])("%j is an address with its reason", (line, reason) => {
  expect(parseBlacklistLines(line)).toEqual({
    entries: [{ address: A, reason }],
    duplicates: 0,
    doubtful: [],
    bad: [],
  });
});

test("lines end as any system ends them, and empty ones do not count", () => {
  const { entries, bad } = parseBlacklistLines(`${A}\r\n\r\n\n${B}\r`);
  expect(entries.map(({ address }) => address)).toEqual([A, B]);
  expect(bad).toEqual([]);
});

test("the file that the dashboard exports is taken back, without its header, dates and points", () => {
  const date = "2026-01-02T03:04:05.000Z";
  const C = `0x${"c".repeat(40)}`;
  const text = stringify([
    BLACKLIST_COLUMNS,
    [A, 'sold, "twice"', date, 500],
    [B, null, date, 0],
    [C, "again,2026-01-01,5", date, 7],
  ]);
  expect(parseBlacklistLines(text)).toEqual({
    entries: [
      { address: A, reason: 'sold, "twice"' },
      { address: B, reason: null },
      { address: C, reason: "again,2026-01-01,5" },
    ],
    duplicates: 0,
    doubtful: [],
    bad: [],
  });
});

test("of lines with one address the first counts, in any letter case", () => {
  const text = [`${A}, first`, `${A}, second`, A.toUpperCase().replace("0X", "0x")].join("\n");
  expect(parseBlacklistLines(text)).toEqual({
    entries: [{ address: A, reason: "first" }],
    duplicates: 2,
    doubtful: [],
    bad: [],
  });
});

test("wrong lines are given back as they are, with their numbers; the others are taken", () => {
  const lines = [A, "alice.eth, why", `${A}1`, B, `${B}, ${"x".repeat(501)}`, `${B}, a\u0000b`];
  const { entries, bad } = parseBlacklistLines(lines.join("\n"));
  expect(entries.map(({ address }) => address)).toEqual([A, B]);
  expect(bad).toEqual(
    [1, 2, 4, 5].map((i) => ({
      number: i + 1,
      text: lines[i],
      problem: expect.any(String),
    })),
  );
});

test("lines whose address is doubtful are named, and taken", () => {
  const right = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
  const wrong = right.replace("dA6", "Da6");
  const { entries, doubtful } = parseBlacklistLines([B, wrong, `0x${"0".repeat(40)}`].join("\n"));
  expect(entries).toHaveLength(3);
  expect(doubtful).toEqual([2, 3]);
  expect(parseBlacklistLines(right).doubtful).toEqual([]);
});
