import { buildIfStale, work } from "./build.mjs";

// npm run worker: builds if the build is missing or older than the sources, then works.

buildIfStale();
await work();
