// Run after every `npm install`: node .ci/complete-lock.mjs
//
// A registry mirror may lack a package's builds for other platforms. npm then leaves them out of the
// lock file, and `npm ci` refuses the file as out of step. This adds the missing optional packages,
// as their parents name them; npm fetches each only on the platform that it is for.
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "package-lock.json";
const OS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const CPU = [
  "arm64",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

/** @param {string} name what follows the last / of the package's name */
function findPlatform(name) {
  const words =
    name.split("/").at(-1)?.replace("windows", "win32").replace("amd64", "x64").split("-") ?? [];
  const os = OS.find((candidate) => words.includes(candidate));
  const cpu = CPU.find((candidate) => words.includes(candidate));
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }) };
}

const lock = JSON.parse(readFileSync(FILE, "utf8"));
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const isThere =
      `${path}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages;
    // Ranges are left to npm: only exact versions name one build.
    if (isThere || !/^\d+\.\d+\.\d+[^ ]*$/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...findPlatform(name),
      ...(entry.dev && { dev: true }),
      optional: true,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added to ${FILE}`);
