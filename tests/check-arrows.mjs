// Part of `npm run check`: checks every import of app/ and sdk/src/ against the allow-list in arrows.json, and the sizes
// of files and folders.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/**
 * The allow-list: for each folder, the folders that it may import. A folder has the arrows of every
 * row that names it, and may always import itself. `*` stands for one of the capabilities, `/**`
 * for a folder and all folders below it. `packages` names the folders that may import a package.
 * @typedef {{
 *   capabilities: string[],
 *   folders: Record<string, string[]>,
 *   packages: Record<string, string[]>,
 * }} Arrows
 */

/** The most files directly in a folder of app/, and the most lines of a file. */
const FILES_A_FOLDER = 25;
const LINES_A_FILE = 320;

const EXTENSIONS = ["", ".ts", ".tsx", ".mjs", ".css"];

/**
 * Finds the problems in the imports of some files.
 * @param {Arrows} arrows
 * @param {readonly string[]} files paths from the root, with forward slashes
 * @param {(file: string) => string} read returns a file's text
 * @param {(file: string) => boolean} isFile
 * @returns {string[]} a sentence for each problem
 */
export function findArrowProblems(arrows, files, read, isFile) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, string[]>} */
  const imports = new Map();
  const rows = Object.keys(arrows.folders);

  /** @param {string} pattern @param {string} folder */
  const fits = (pattern, folder) => {
    if (pattern.endsWith("/**")) return `${folder}/`.startsWith(pattern.slice(0, -2));
    if (!pattern.includes("*")) return pattern === folder;
    const [start = "", end = ""] = pattern.split("*");
    const capability = folder.slice(start.length, folder.length - end.length);
    return folder === start + capability + end && arrows.capabilities.includes(capability);
  };
  for (const file of files) {
    const folder = path.posix.dirname(file);
    const own = rows.filter((row) => fits(row, folder));
    if (own.length === 0) {
      problems.push(`${file}: arrows.json does not list the folder ${folder}`);
      continue;
    }
    const allowed = own.flatMap((row) => arrows.folders[row] ?? []);
    /** @type {string[]} */
    const targets = [];
    for (const { fileName } of ts.preProcessFile(read(file), true, true).importedFiles) {
      const source = fileName
        .replace(/\?.*$/, "")
        // The SDK names modules as they are after its build.
        .replace(/^(\..*)\.js$/, "$1");
      if (!source.startsWith(".")) {
        const owner = Object.keys(arrows.packages).find(
          (name) => source === name || source.startsWith(`${name}/`),
        );
        const isAllowed =
          owner === undefined || arrows.packages[owner]?.some((pattern) => fits(pattern, folder));
        if (!isAllowed) problems.push(`${file} imports ${source}: arrows.json does not allow it`);
        continue;
      }
      const base = path.posix.join(folder, source);
      const target = EXTENSIONS.map((extension) => base + extension).find(isFile);
      if (target === undefined) {
        problems.push(`${file} imports ${source}, which does not exist`);
        continue;
      }
      targets.push(target);
      const to = path.posix.dirname(target);
      if (to === folder || allowed.some((pattern) => fits(pattern, to))) continue;
      problems.push(`${file} imports ${target}: ${folder} may not import ${to}`);
    }
    imports.set(file, targets);
  }
  return [...problems, ...findCircles(imports)];
}

/**
 * Finds the folders of app/ with too many files, and the files with too many lines.
 * @param {readonly string[]} files paths from the root, with forward slashes
 * @param {(file: string) => string} read returns a file's text
 * @returns {string[]} a sentence for each problem
 */
export function findSizeProblems(files, read) {
  const ours = files.filter((file) => file.startsWith("app/"));
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const folder of ours.map((file) => path.posix.dirname(file))) {
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [
    ...[...counts]
      .filter(([, count]) => count > FILES_A_FOLDER)
      .map(([folder, count]) => `${folder}: ${count} files, at most ${FILES_A_FOLDER}`),
    ...ours
      .filter((file) => /\.(ts|tsx|mjs|sql|css)$/.test(file))
      .map((file) => ({ file, lines: read(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > LINES_A_FILE)
      .map(({ file, lines }) => `${file}: ${lines} lines, at most ${LINES_A_FILE}`),
  ];
}

/**
 * Finds circles of imports, including imports of types.
 * @param {ReadonlyMap<string, readonly string[]>} imports
 */
function findCircles(imports) {
  /** @type {string[]} */
  const circles = [];
  /** @type {Map<string, "open" | "done">} */
  const states = new Map();
  /** @param {string} file @param {readonly string[]} trail */
  const visit = (file, trail) => {
    if (states.get(file) === "done") return;
    if (states.get(file) === "open") {
      circles.push(`Circle: ${[...trail.slice(trail.indexOf(file)), file].join(" -> ")}`);
      return;
    }
    states.set(file, "open");
    for (const target of imports.get(file) ?? []) visit(target, [...trail, file]);
    states.set(file, "done");
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

if (import.meta.filename === process.argv[1]) {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "app", "sdk/src"];
  const all = execFileSync("git", list, { encoding: "utf8" }).split("\n").filter(existsSync);
  const files = all.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  /** @param {string} file */
  const read = (file) => readFileSync(file, "utf8");
  const problems = findArrowProblems(
    JSON.parse(read("arrows.json")),
    files,
    read,
    (file) => existsSync(file) && statSync(file).isFile(),
  ).concat(findSizeProblems(all, read));
  for (const problem of problems) console.error(problem);
  console.log(`Arrows: ${files.length} files, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
