// Loaded before a process of the service: its clock is ahead by the milliseconds in the file CLOCK_FILE.
import { readFileSync } from "node:fs";

const getTime = Date.now;
let aheadMs = 0;
setInterval(() => {
  try {
    aheadMs = Number(readFileSync(process.env.CLOCK_FILE ?? "", "utf8"));
  } catch {
    // It is being written.
  }
}, 100).unref();

Date.now = () => getTime() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, parts, newTarget) =>
    Reflect.construct(target, parts.length === 0 ? [Date.now()] : parts, newTarget),
});
