import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSbom } from "../../app/commands/sbom.mjs";

const BUILD = pathToFileURL(path.resolve("app/commands/build.mjs")).href;
const PATCH_PACKAGE = path.resolve("node_modules/patch-package");
const DRIVER = "node_modules/postgres/src/index.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "points-supply-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a checkout as `npm ci --ignore-scripts` leaves it: with the driver as its authors publish it. */
function makeUnpatched(): void {
  mkdirSync(path.join(folder, "app/db"), { recursive: true });
  mkdirSync(path.join(folder, "node_modules/@remix-run/dev/dist"), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{"dependencies":{"postgres":"3.4.9"}}');
  writeFileSync(path.join(folder, "package-lock.json"), '{"lockfileVersion":3,"packages":{}}');
  cpSync("app/db/patches", path.join(folder, "app/db/patches"), { recursive: true });
  cpSync("node_modules/postgres", path.join(folder, "node_modules/postgres"), { recursive: true });
  symlinkSync(PATCH_PACKAGE, path.join(folder, "node_modules/patch-package"));
  const cli = path.join(PATCH_PACKAGE, "index.js");
  const args = [cli, "--patch-dir", "app/db/patches", "--reverse"];
  execFileSync(process.execPath, args, { cwd: folder, stdio: "ignore" });
  const compiler = `require("node:fs").mkdirSync("build/server", { recursive: true });
    require("node:fs").writeFileSync("build/server/main.js", "");`;
  writeFileSync(path.join(folder, "node_modules/@remix-run/dev/dist/cli.js"), compiler);
}

const readDriver = () => readFileSync(path.join(folder, DRIVER), "utf8");

test("starts after an install without scripts patch the driver, also when they come at once", async () => {
  makeUnpatched();
  expect(readDriver()).not.toContain("survivesLostConnections");
  const script = `await (await import(${JSON.stringify(BUILD)})).buildIfStale()`;
  const codes = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
      return new Promise<number | null>((resolve) => child.once("exit", resolve));
    }),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(readDriver()).toBe(readFileSync(DRIVER, "utf8"));
}, 60_000);

test("the bill of materials has every package that the service runs with, installed or built in, with its hash", () => {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const lists = ["build/client-packages.json", "build/server-packages.json"];
  const bundled = new Set<string>(lists.flatMap(read));
  const { bomFormat, specVersion, components, dependencies } = createSbom(
    read("package-lock.json"),
    bundled,
  );
  expect({ bomFormat, specVersion }).toEqual({ bomFormat: "CycloneDX", specVersion: "1.6" });
  const known = components as { name: string; version: string; purl: string; hashes?: object[] }[];
  const { dependencies: direct, devDependencies } = read("package.json");
  const builtIn = ["drizzle-orm", "postgres", "react", "viem", "wagmi", "zod"];
  const pinned = builtIn.map((name) => [name, devDependencies[name]] as const);
  for (const [name, version] of [...Object.entries(direct), ...pinned]) {
    expect(known, name).toContainEqual(expect.objectContaining({ name, version }));
  }
  const tools = known.filter(({ name }) => ["tsx", "vite", "vitest"].includes(name));
  expect(tools).toEqual([]);
  expect(known.filter(({ hashes }) => !hashes)).toEqual([]);
  const refs = new Set(known.map(({ purl }) => purl));
  expect(refs.size).toBe(known.length);
  for (const { dependsOn } of dependencies) {
    for (const purl of dependsOn) expect(refs).toContain(purl);
  }
  const own = dependencies.find(({ ref }) => ref.includes("points-and-rewards"))?.dependsOn ?? [];
  for (const [name, version] of pinned) expect(own).toContain(`pkg:npm/${name}@${version}`);
});

test("a reader of the bill of materials may leave before its end", async () => {
  const child = spawn(process.execPath, ["app/commands/sbom.mjs"]);
  child.stdout.once("data", () => child.stdout.destroy());
  let errors = "";
  child.stderr.on("data", (text) => {
    errors += text;
  });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  expect(errors).toBe("");
});
