import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { buildIfStale, readArguments } from "./build.mjs";

// npm run sbom: prints the software bill of materials, CycloneDX 1.6 as JSON, of what the service runs
// with: the packages of a production install, and those that the build has parts of. It is the same at
// each run. (`npm sbom` knows nothing of builds.) A release has it in a file.

const RELEASED = "sbom.json";
/** The lists that vite.config.ts writes. */
const BUNDLED = ["build/client-packages.json", "build/server-packages.json"];

/**
 * @typedef {{ name?: string, version?: string, resolved?: string, integrity?: string, license?: string,
 *   dev?: boolean, link?: boolean, optional?: boolean, dependencies?: Record<string, string>,
 *   devDependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Entry
 * @typedef {{ name: string, version: string, packages: Record<string, Entry> }} Lock
 */

/** @param {string} path the package's folder */
const getName = (path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

/**
 * @param {string} name
 * @param {string} version
 */
const toPurl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

/**
 * Finds the package that a package loads by a name, as Node looks for it.
 * @param {Lock} lock
 * @param {string} from the loading package's folder
 * @param {string} name
 * @returns {string | null}
 */
function resolve(lock, from, name) {
  for (let folder = from; ; ) {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (path in lock.packages) return path;
    if (folder === "") return null;
    const parent = folder.lastIndexOf("/node_modules/");
    folder = parent < 0 ? "" : folder.slice(0, parent);
  }
}

/**
 * Makes the bill of materials of a lock file.
 * @param {Lock} lock
 * @param {ReadonlySet<string>} bundled the folders of the packages in the build
 */
export function createSbom(lock, bundled) {
  const root = toPurl(lock.name, lock.version);
  const isUsed = (/** @type {string} */ path) => !lock.packages[path]?.dev || bundled.has(path);
  const used = Object.entries(lock.packages).filter(
    ([path, { link }]) => path !== "" && isUsed(path) && !link,
  );
  /** The same version may lie in several folders. @type {Map<string, object>} */
  const components = new Map();
  /** @type {Map<string, Set<string>>} */
  const dependencies = new Map([[root, new Set()]]);
  for (const [path, entry] of used) {
    const { version = "", integrity = "", license, optional } = entry;
    const name = entry.name ?? getName(path);
    const purl = toPurl(name, version);
    components.set(purl, {
      type: "library",
      "bom-ref": purl,
      name,
      version,
      scope: optional ? "optional" : "required",
      ...(integrity.startsWith("sha512-") && {
        hashes: [
          {
            alg: "SHA-512",
            content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex"),
          },
        ],
      }),
      ...(license && {
        licenses: [
          /[ ()]/.test(license) ? { expression: license } : { license: { name: license } },
        ],
      }),
      purl,
    });
    if (!dependencies.has(purl)) dependencies.set(purl, new Set());
  }
  /** @type {[string, Entry][]} */
  const loaders = [["", lock.packages[""] ?? {}], ...used];
  for (const [path, entry] of loaders) {
    const { version = "" } = entry;
    const owner = path === "" ? root : toPurl(entry.name ?? getName(path), version);
    const { dependencies: needed, optionalDependencies, peerDependencies } = entry;
    const built = path === "" ? entry.devDependencies : {};
    const names = { ...needed, ...optionalDependencies, ...peerDependencies, ...built };
    for (const name of Object.keys(names)) {
      const found = resolve(lock, path, name);
      const target = found === null ? undefined : lock.packages[found];
      if (found === null || !target?.version || !isUsed(found)) continue;
      dependencies.get(owner)?.add(toPurl(target.name ?? getName(found), target.version));
    }
  }
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": root,
        name: lock.name,
        version: lock.version,
        purl: root,
      },
    },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, on]) => ({ ref, dependsOn: [...on].sort() })),
  };
}

/**
 * Writes the bill of materials of this folder: of a checkout, which it builds if it has to, or of a release.
 * @returns {Promise<string>}
 */
export async function writeSbom() {
  if (existsSync(RELEASED)) return readFileSync(RELEASED, "utf8");
  await buildIfStale();
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, "utf8"));
  const bundled = new Set(BUNDLED.flatMap(read));
  return `${JSON.stringify(createSbom(read("package-lock.json"), bundled), null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  readArguments("npm run sbom");
  // A reader such as `head` may close the pipe early.
  process.stdout.on("error", () => process.exit(0));
  process.stdout.write(await writeSbom());
}
