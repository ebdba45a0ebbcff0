// The engine and the test files of `npm run test:citus`.
import { existsSync } from "node:fs";
import path from "node:path";

/** Debian's PostgreSQL, over a copy of which the archive is unpacked. */
export const DEBIAN_ROOTS = ["usr/lib/postgresql/15", "usr/share/postgresql/15"];
export const ARCHIVE = path.resolve("../shared/engine/citus-13.2.2-pg15-linux-x64.tar.xz");

/** Checks whether there is a PostgreSQL with Citus: in CITUS_BIN, or as an archive beside the checkout. */
export function hasCitus() {
  if (process.env.CITUS_BIN) return existsSync(path.join(process.env.CITUS_BIN, "postgres"));
  return existsSync(ARCHIVE) && DEBIAN_ROOTS.every((root) => existsSync(`/${root}`));
}

/** The tests of services and of the API that pass on Citus. */
export const CITUS_FILES = ["tests/citus/"];
