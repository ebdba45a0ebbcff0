import { startCitus } from "../support/citus";

/** Starts the nodes of `npm run test:citus` for Playwright. Each server of a spec has a distributed database there. */
export default async function startNodes(): Promise<(() => void) | undefined> {
  if (process.env.TEST_ENGINE !== "citus") return undefined;
  const { coordinator, workers, end } = await startCitus();
  console.log("Testing in the browser on Citus: a coordinator and two workers");
  // The workers of Playwright inherit it.
  process.env.TEST_CITUS_NODES = JSON.stringify(
    [coordinator, ...workers].map(({ address }) => address),
  );
  return end;
}
