import { buildIfStale, serve } from "./build.mjs";

// npm start: builds if the build is missing or older than the sources, then serves.

await buildIfStale();
await serve();
