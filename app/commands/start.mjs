import { buildIfStale, refuseArguments, serve } from "./build.mjs";

// npm start: builds if the build is missing or older than the sources, then serves.

refuseArguments("npm start");
await buildIfStale();
await serve();
