import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { createOpenApiDocument, type Operation } from "../../app/api/document/openapi";
import type { EndpointPath } from "../../app/api/endpoints";
import type { Language } from "../../app/domain/reference/samples";
import { compileSchema } from "./openapi";

export const hasPython = existsSync("/usr/bin/python3") || existsSync("/usr/local/bin/python3");
if (!hasPython) console.log("python3 is not here: the samples in Python are not run");

/** Makes a folder for programs that import the packed SDK. */
export async function createSampleFolder(): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-samples-"));
  await fs.symlink(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const sdk = path.join(folder, "programs/node_modules/points-and-rewards-sdk");
  await promisify(execFile)(process.execPath, ["sdk/build.mjs", path.join(sdk, "dist")]);
  await fs.copyFile("sdk/package.json", path.join(sdk, "package.json"));
  return folder;
}

/** Runs a program as a reader does who pastes it. Returns its output. */
export async function runSample(
  language: Language,
  text: string,
  { folder, token }: { folder: string; token: string },
): Promise<string> {
  const env = { ...process.env, POINTS_API_KEY: token };
  const start = async (program: string, args: string[]) =>
    (await promisify(execFile)(program, args, { env, cwd: folder })).stdout;
  if (language === "curl")
    return start("bash", ["-c", `curl() { command curl -sS "$@"; }\n${text}`]);
  if (language === "Python") return start("python3", ["-c", text]);
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const program = text.replace("console.log(answer)", "console.log(JSON.stringify(answer))");
  const { outputText } = ts.transpileModule(program, { compilerOptions });
  const file = path.join(folder, `programs/${Math.random()}.mjs`);
  await fs.writeFile(file, outputText);
  return start(process.execPath, [file]);
}

const document = createOpenApiDocument();

/** Finds what an answer has against the documented success of an endpoint; null when nothing. */
export function findUndocumented(at: EndpointPath, output: unknown): string | null {
  const operation = Object.values(document.paths[`/${at}`] ?? {})[0] as Operation;
  const content = operation.responses["200"]?.content;
  const validate = compileSchema(document, content?.["application/json"].schema ?? {});
  if (validate(output)) return null;
  return `${JSON.stringify(output)} ${JSON.stringify(validate.errors)}`;
}
