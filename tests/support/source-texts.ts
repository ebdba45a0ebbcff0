import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import ts from "typescript";

// What the source code declares that reads text, so that the sweeps include new parsers.

const APP = path.resolve(import.meta.dirname, "../../app");

/** A regular expression of the source code. */
export interface FoundPattern {
  readonly where: string;
  readonly pattern: RegExp;
}

/** An exported function that takes a text first. */
export interface FoundReader {
  readonly where: string;
  readonly file: string;
  readonly name: string;
  /** The arguments after the text. */
  readonly others: readonly unknown[];
}

async function parseSources(): Promise<ts.SourceFile[]> {
  const files = await fs.readdir(APP, { recursive: true });
  return files
    .filter((file) => /\.tsx?$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(APP, file), "utf8");
      return ts.createSourceFile(path.join(APP, file), text, ts.ScriptTarget.Latest, true);
    });
}

const sources = await parseSources();

/** Lists every regular expression that is written as a literal. */
export function listPatterns(): FoundPattern[] {
  const found: FoundPattern[] = [];
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
        found.push({ where: locate(source, node), pattern });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Lists the files that make a regular expression from a text, which the list above has not. */
export function listPatternMakers(): string[] {
  return listFilesWith(
    (node) =>
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText() === "RegExp",
  );
}

/** Methods that look for something in a text: within a loop, perhaps in all of it each time. */
const SEARCHES =
  /^(indexOf|lastIndexOf|charCodeAt|codePointAt|charAt|substring|search|match|matchAll|exec|startsWith)$/;

/** Lists the files in which a loop searches a text by hand. Commands are left out, as below. */
export function listScanners(): string[] {
  return listFilesWith(
    (node) =>
      ts.isPropertyAccessExpression(node) &&
      SEARCHES.test(node.name.text) &&
      ts.findAncestor(node, (outer) => ts.isIterationStatement(outer, false)) !== undefined,
  ).filter((file) => !file.startsWith("commands/"));
}

function listFilesWith(isFound: (node: ts.Node) => boolean): string[] {
  const has = (node: ts.Node): boolean =>
    isFound(node) || (ts.forEachChild(node, (child) => has(child) || undefined) ?? false);
  return sources.filter(has).map(({ fileName }) => path.relative(APP, fileName));
}

/**
 * Lists the exported functions that take a text first: every one of app/domain, and elsewhere those
 * whose names say that they read a text, in modules that do not themselves use the database or the
 * file system. Commands read what their operator wrote, and end the process when it is wrong.
 */
export function listReaders(): FoundReader[] {
  const found: FoundReader[] = [];
  for (const source of sources) {
    const file = path.relative(APP, source.fileName);
    if (!isPure(source) || file.startsWith("commands/")) continue;
    for (const node of source.statements) {
      if (!ts.isFunctionDeclaration(node) || !node.name) continue;
      const isExported = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      const [first, ...others] = node.parameters;
      if (!isExported || !TEXT.test(first?.type?.getText() ?? "")) continue;
      const name = node.name.text;
      if (!file.startsWith("domain/") && !/^(parse|read|guess|sample|weigh)[A-Z]/.test(name))
        continue;
      found.push({
        where: locate(source, node),
        file: source.fileName,
        name,
        others: others
          .filter(({ initializer }) => !initializer)
          .map(({ type }) => createArgument(type)),
      });
    }
  }
  return found;
}

/** The types of parameters that take a text, or whatever a stranger sent. */
const TEXT = /^(string|unknown)( \| (string\[\]|null|undefined))*$/;

const IMPURE =
  /^(node:(fs|net|http|https|child_process|cluster)(\/|$)|.*\/db\/|react|@remix-run\/react)/;

function isPure(source: ts.SourceFile): boolean {
  if (source.fileName.endsWith(".tsx")) return false;
  return !source.statements.some(
    (node) =>
      ts.isImportDeclaration(node) && IMPURE.test((node.moduleSpecifier as ts.StringLiteral).text),
  );
}

/** Creates an argument of a declared type, as far as the functions need it. */
function createArgument(type: ts.TypeNode | undefined): unknown {
  switch (type?.kind) {
    case ts.SyntaxKind.NumberKeyword:
      return 18;
    case ts.SyntaxKind.BooleanKeyword:
      return true;
    case ts.SyntaxKind.StringKeyword:
      return "comma";
    case ts.SyntaxKind.FunctionType:
      return (text: unknown) => text;
    case ts.SyntaxKind.ArrayType:
    case ts.SyntaxKind.TypeOperator:
      return [",", ";"];
    default:
      // The layout of a file, and the names of the separators.
      return type?.getText().includes("Layout")
        ? { delimiter: "comma", hasHeader: true, addressColumn: 0, pointsColumn: 1 }
        : "comma";
  }
}

function locate(source: ts.SourceFile, node: ts.Node): string {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${path.relative(APP, source.fileName)}:${line + 1}`;
}

/** Lists the names of the query parameters that pages and endpoints read. */
export function listParameterNames(): string[] {
  const names = new Set(["page", "limit", "address", "search", "filter", "sort", "token"]);
  for (const source of sources) {
    for (const [, name = ""] of source.text.matchAll(
      /(?:searchParams|query|params)\.get\("(\w+)"\)/g,
    )) {
      names.add(name);
    }
    for (const name of listQueryFields(source)) names.add(name);
  }
  return [...names].sort();
}

/** Lists the fields of a module's schemas of queries: those whose names end in Query. */
function listQueryFields(source: ts.SourceFile): string[] {
  const fields: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText().endsWith(".object")) {
      const [shape] = node.arguments;
      if (shape && ts.isObjectLiteralExpression(shape)) {
        for (const { name } of shape.properties) if (name) fields.push(name.getText());
      }
    }
    ts.forEachChild(node, collect);
  };
  for (const node of source.statements) {
    if (!ts.isVariableStatement(node)) continue;
    for (const { name, initializer } of node.declarationList.declarations) {
      if (name.getText().endsWith("Query") && initializer) collect(initializer);
    }
  }
  return fields;
}
