/**
 * Holds a cluster in a separate process, for tests that kill it: `cluster-holder.ts <dataDir>
 * <settings as JSON>`. It sends `{ log }` and `{ connection }`, and accepts "release" and "forget".
 */
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";

const [dataDir = "", settings = "{}"] = process.argv.slice(2);
const cluster = await holdEmbeddedCluster({
  dataDir,
  settings: JSON.parse(settings) as Record<string, string>,
  log: (message) => process.send?.({ log: message }),
});
process.on("message", async (command) => {
  if (command === "release") await cluster.release();
  process.disconnect(); // this script no longer holds the event loop: "forget" exits without a release
});
process.send?.({ connection: cluster.connection });
