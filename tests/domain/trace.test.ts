import { expect, test } from "vitest";
import { parseRequestId, parseTraceId } from "../../app/domain/trace";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test.each([
  ["0e8b1c1e-8a1b-4f0e-9a4c-0a6a6c6b7d11", true],
  ["lb-1:req/42", true],
  ["x".repeat(128), true],
  ["x".repeat(129), false],
  ["", false],
  ["two words", false],
  ['a","level":50', false],
  ["a\nb", false],
  [["a", "b"], false],
  [undefined, false],
])("a request id is taken over when it is fit for a log: %j", (header, isTaken) => {
  expect(parseRequestId(header)).toBe(isTaken ? header : null);
});

test.each([
  [`00-${TRACE}-${PARENT}-01`, TRACE],
  // A later version of the form may have more fields.
  [`01-${TRACE}-${PARENT}-01-more`, TRACE],
  [`ff-${TRACE}-${PARENT}-01`, null],
  [`00-${"0".repeat(32)}-${PARENT}-01`, null],
  [`00-${TRACE}-${"0".repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${PARENT}-01`, null],
  [`00-${TRACE.slice(1)}-${PARENT}-01`, null],
  ["", null],
  [undefined, null],
])("the trace of a traceparent is read when it is valid: %j", (header, traceId) => {
  expect(parseTraceId(header)).toBe(traceId);
});
