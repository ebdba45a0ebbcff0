import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeReference } from "../../../app/api/document/markdown";
import { createEndpointPage } from "../../../app/api/document/pages";
import { API_ENDPOINTS, CLIENT_ENDPOINTS } from "../../../app/api/endpoints";
import { API_ERROR_CODES } from "../../../app/domain/reference/error-help";
import { EXAMPLE } from "../../../app/domain/reference/example";
import { parseMarkdown } from "../../../app/domain/reference/markdown";
import { DEMO } from "../../../drizzle/demo-fixture.mjs";

test("a guide's headings, paragraphs, lists, tables and code are read as such", () => {
  const text = [
    "# A `b`",
    "",
    "One line",
    "goes on, **here** and [there](x.md#y).",
    "",
    "- a",
    "  b",
    "- c",
    "",
    "1. d",
    "",
    "| h | i |",
    "| - | - |",
    "| j | `k` |",
    "",
    "```ts",
    "# no heading",
    "```",
  ];
  const plain = (text: string) => ({ kind: "text", text });
  expect(parseMarkdown(text.join("\n"))).toEqual([
    { kind: "heading", level: 1, id: "a-b", text: [plain("A "), { kind: "code", text: "b" }] },
    {
      kind: "paragraph",
      text: [
        plain("One line goes on, "),
        { kind: "strong", text: "here" },
        plain(" and "),
        { kind: "link", text: "there", href: "x.md#y" },
        plain("."),
      ],
    },
    { kind: "list", isOrdered: false, items: [[plain("a b")], [plain("c")]] },
    { kind: "list", isOrdered: true, items: [[plain("d")]] },
    {
      kind: "table",
      head: [[plain("h")], [plain("i")]],
      rows: [[[plain("j")], [{ kind: "code", text: "k" }]]],
    },
    { kind: "code", language: "ts", text: "# no heading" },
  ]);
});

test("/docs.md has every endpoint, sample and error", () => {
  const text = writeReference(EXAMPLE);
  for (const path of Object.keys(API_ENDPOINTS) as (keyof typeof API_ENDPOINTS)[]) {
    const { samples, method } = createEndpointPage(path, EXAMPLE);
    expect(text).toContain(`### ${method} /${path}\n`);
    for (const sample of samples) expect(text).toContain(sample.text);
  }
  for (const code of API_ERROR_CODES) expect(text).toContain(`### ${code}\n`);
});

test("docs/api.http has the demo's values (K18), and calls endpoints that exist", () => {
  const text = readFileSync("docs/api.http", "utf8");
  expect(text).toContain(`@wallet = ${DEMO.wallet}\n`);
  expect(text).toContain(`@key = ${DEMO.apiKey}\n`);
  expect(text).toContain(`@pointSystemId = ${DEMO.pointSystemId}\n`);
  const called = [...text.matchAll(/^(GET|POST) \{\{base\}\}\/([\w/-]+)/gm)];
  for (const [, method, path = ""] of called) {
    expect(API_ENDPOINTS).toHaveProperty([path, "method"], method);
  }
  expect(new Set(called.map(([, , path]) => path)).size).toBe(Object.keys(CLIENT_ENDPOINTS).length);
});
