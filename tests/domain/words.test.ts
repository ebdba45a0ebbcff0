import { expect, test } from "vitest";
import {
  findDeadLinks,
  findDeadPaths,
  findForbiddenOpenings,
  findLongTexts,
  isSubjectTooLong,
} from "../check-words.mjs";

test.each([
  "What begins those who wait.",
  "Who is signed in.",
  "Of each network.",
  "That of a tree.",
])("a doc comment that opens with “%s” is found, on one line or several", (sentence) => {
  expect(findForbiddenOpenings(`const a = 1;\n/** ${sentence} */`)).toMatchObject([{ line: 2 }]);
  expect(findForbiddenOpenings(`/**\n * ${sentence}\n * @returns it\n */`)).toMatchObject([
    { line: 1, opening: sentence },
  ]);
});

test.each(["Limits concurrent work.", "Whatsapp is a word.", "The wallets of a board."])(
  "a doc comment that opens with “%s” passes",
  (sentence) => expect(findForbiddenOpenings(`/** ${sentence} */`)).toEqual([]),
);

test("a subject of 73 characters is too long, one of 72 is not", () => {
  expect(isSubjectTooLong("x".repeat(73))).toBe(true);
  expect(isSubjectTooLong("x".repeat(72))).toBe(false);
});

test.each([
  ["docs/decisions/001-x.md", 400],
  ["README.md", 500],
])("%s has at most %i words beside its tables", (file, most) => {
  const text = `${"word ".repeat(most - 1)}\n\n- [last](one.md)\n\n| a | table |\n| - | - |`;
  expect(findLongTexts(file, text)).toEqual([]);
  expect(findLongTexts(file, `${text}\n\nmore`)).toEqual([
    `${file}: ${most + 1} words, at most ${most}`,
  ]);
  expect(findLongTexts("docs/operating.md", `${text}\n\nmore`)).toEqual([]);
});

test("a link to a file or a folder that is not in the repository is found", () => {
  const known = new Set(["docs/a.md", "sdk/src/index.ts"]);
  const text =
    "[a](a.md#part) [sdk](../sdk/) [page](/docs/x) [site](https://example.com) [b](../b.md)";
  expect(findDeadLinks("docs/index.md", text, known)).toEqual([
    "docs/index.md: a link leads to b.md, which is not there",
  ]);
});

test("a path in a document that leads to no file or folder is found; a placeholder passes", () => {
  const known = new Set(["app/db/client.ts"]);
  const text = "`app/db/client.ts`, `app/db`, `app/db/gone.ts`, `app/db/NAME.ts`, `npm run app/x`";
  expect(findDeadPaths("docs/index.md", text, known)).toEqual([
    "docs/index.md: it names app/db/gone.ts, which is not there",
  ]);
});
