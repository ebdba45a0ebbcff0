import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Packs the SDK, and installs the tarball into a project that has nothing else and no registry.
 * @returns the tarball's size in bytes
 */
export async function installSdk(project: string): Promise<number> {
  await run("npm", ["pack", path.resolve("sdk"), "--pack-destination", project]);
  const tarball = (await fs.readdir(project)).find((name) => name.endsWith(".tgz")) ?? "";
  await fs.writeFile(path.join(project, "package.json"), '{ "type": "module", "private": true }');
  const offline = ["--offline", "--no-audit", "--no-fund", "--registry", "http://127.0.0.1:9"];
  await run("npm", ["install", ...offline, `./${tarball}`], { cwd: project });
  return (await fs.stat(path.join(project, tarball))).size;
}

/** Type-checks a program of a project by `strict`, and compiles it. Throws with the problems. */
export async function compileProgram(project: string, file: string): Promise<string> {
  const name = path.basename(file);
  await fs.copyFile(file, path.join(project, name));
  const settings = {
    files: [name],
    compilerOptions: {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ target: "ES2022", module: "NodeNext", lib: ["ES2022", "DOM"], outDir: "out" },
      ...{ types: ["node"], typeRoots: [path.resolve("node_modules/@types")] },
    },
  };
  await fs.writeFile(path.join(project, "tsconfig.json"), JSON.stringify(settings));
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", project]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  return path.join(project, "out", name.replace(/\.ts$/, ".js"));
}
