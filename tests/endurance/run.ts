import { buildIfStale } from "../../app/commands/build.mjs";
import { readOptions } from "../../app/commands/options";
import { endure } from "./endure";

// npm run test:campaign [-- --credits N --kills N --seed N]: credits under kills and faults for hours. The exit status
// is 1 when anything was lost, doubled or inexact.

const { values } = readOptions("npm run test:campaign [-- --credits N --kills N --seed N]", {
  credits: { type: "string", default: "1000000" },
  kills: { type: "string", default: "50" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
});
await buildIfStale();
console.log(`Seed ${values.seed}`);
const result = await endure({
  credits: Number(values.credits),
  kills: Number(values.kills),
  seed: Number(values.seed),
  callers: 32,
  pauseMsMax: 8_000,
  log: (line) => console.log(line),
});
console.log(JSON.stringify(result, null, 2));
const { ledger, ...counts } = result.faults;
process.exit(ledger === null && Object.values(counts).every((count) => count === 0) ? 0 : 1);
