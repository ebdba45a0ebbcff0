// Builds the package: one minified module, and its declarations. `npm pack` runs it. Usage: build.mjs [FOLDER]
import { writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { build, transformWithEsbuild } from "vite";

const folder = import.meta.dirname;
const outDir = path.resolve(process.argv[2] ?? path.join(folder, "dist"));

const bundle = await build({
  configFile: false,
  root: folder,
  logLevel: "warn",
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    write: false,
    lib: { entry: "src/index.ts", formats: ["es"], fileName: "index" },
  },
});
const [chunk] = [bundle].flat().flatMap((result) => ("output" in result ? result.output : []));
if (chunk?.type !== "chunk") throw new Error("The bundle has no module");
// Vite leaves the spaces of a library in.
const { code } = await transformWithEsbuild(chunk.code, "index.js", { minify: true });

const config = ts.readConfigFile(path.join(folder, "tsconfig.json"), ts.sys.readFile).config;
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
const program = ts.createProgram(fileNames, { ...options, outDir });
const { diagnostics } = program.emit(undefined, (file, text) => {
  // Tabs instead of four spaces, and no semicolons, take a twentieth off the package. The generated types are not for
  // reading: without their indentation, empty parts and the notes of their generator they are smaller still.
  const packed = file.endsWith("openapi.d.ts")
    ? text.replaceAll(/^ *(\/\*\* @enum .*|\w+: never;)\n/gm, "").replaceAll(/^ +/gm, "")
    : text.replaceAll("    ", "\t");
  if (!file.endsWith("keccak.d.ts")) ts.sys.writeFile(file, packed.replaceAll(/;$/gm, ""));
});
const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
if (problems.length > 0) {
  throw new Error(
    ts.formatDiagnostics(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => folder,
      getNewLine: () => "\n",
    }),
  );
}
writeFileSync(path.join(outDir, "index.js"), code);
