import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { GUIDES } from "../../../app/api/document/guides";
import { createEndpointPage } from "../../../app/api/document/pages";
import { API_ENDPOINTS, type EndpointPath } from "../../../app/api/endpoints";
import { EXAMPLE } from "../../../app/domain/reference/example";
import { parseMarkdown } from "../../../app/domain/reference/markdown";

const samples = (Object.keys(API_ENDPOINTS) as EndpointPath[]).map((at) => {
  const page = createEndpointPage(at, { ...EXAMPLE, keyName: "backend" });
  return page.samples.find(({ language }) => language === "TypeScript")?.text ?? "";
});
const guides = GUIDES.flatMap(({ markdown }) =>
  parseMarkdown(markdown).flatMap((block) =>
    block.kind === "code" && block.language === "ts" ? [block.text] : [],
  ),
);

test("each sample in TypeScript passes the compiler with `strict`", () => {
  const programs = new Map(
    [...samples, ...guides].map((text, i) => [path.resolve(`sample-${i}.ts`), text]),
  );
  expect(samples).toHaveLength(Object.keys(API_ENDPOINTS).length);
  expect(guides.length).toBeGreaterThan(5);
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ".");
  const own = { ...options, incremental: false, moduleDetection: ts.ModuleDetectionKind.Force };
  const host = ts.createCompilerHost(own);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => programs.has(file) || fileExists(file);
  host.getSourceFile = (file, settings, ...rest) => {
    const text = programs.get(file);
    return text === undefined
      ? getSourceFile(file, settings, ...rest)
      : ts.createSourceFile(file, text, settings);
  };
  const program = ts.createProgram([...programs.keys()], own, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    sample: programs.get(file?.fileName ?? ""),
    problem: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
  expect(problems).toEqual([]);
}, 120_000);
