import { buildIfStale } from "../app/commands/build.mjs";

// Makes the builds that tests use, unless they are newer than their sources. `npm run test:deep` also starts the demo.
await buildIfStale();
if (process.env.DEEP) await buildIfStale("demo");
