import { afterAll, expect } from "vitest";

// A test file fails when Node warns in it, for example of listeners that pile up.
const warnings: Error[] = [];
process.on("warning", (warning) => warnings.push(warning));
afterAll(() => expect(warnings).toEqual([]));
