import { buildIfStale, run } from "./build.mjs";

// npm run worker: builds if the build is missing or older than the sources, then works.

await buildIfStale();
await run("worker-main");
