import { buildIfStale } from "../../app/commands/build.mjs";

/** Tests that start the server test what `npm start` runs: the build, as new as its sources. */
export default async function build(): Promise<void> {
  // vite.config.ts leaves Remix out where Vitest runs; this is a build.
  const { VITEST } = process.env;
  delete process.env.VITEST;
  await buildIfStale();
  if (VITEST !== undefined) process.env.VITEST = VITEST;
}
