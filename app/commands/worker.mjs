import { buildIfStale, refuseArguments, run } from "./build.mjs";

// npm run worker: builds if the build is missing or older than the sources, then works.

refuseArguments("npm run worker");
await buildIfStale();
await run("worker-main");
