import { buildIfStale, run } from "./build.mjs";

// node app/commands/run.mjs NAME [ARGUMENTS]: runs a command of the build, such as `npm run migrate`. It builds
// first if the build is missing or older than the sources.

// The command reads its own arguments alone.
const [name = ""] = process.argv.splice(2, 1);
await buildIfStale();
await run(name);
