import { afterAll, expect } from "vitest";

// A test file fails when Node warns in it, for example of listeners that pile up.
const warnings: Error[] = [];
const note = (warning: Error) => void warnings.push(warning);
process.on("warning", note);
afterAll(() => {
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
