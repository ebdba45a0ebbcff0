import { buildIfStale } from "../app/commands/build.mjs";

// Makes both builds that tests use, unless they are newer than their sources.
await buildIfStale();
await buildIfStale("demo");
