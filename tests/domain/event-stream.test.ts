import { expect, test } from "vitest";
import { answerEventStream } from "../../app/http/event-stream";

test("a client that has gone before its stream opens keeps no place", () => {
  const left = new AbortController();
  left.abort();
  const request = new Request("http://test.local/live", { signal: left.signal });
  let places = 0;
  // Nobody reads or cancels the answer then.
  answerEventStream(request, () => {
    places += 1;
    return () => {
      places -= 1;
    };
  });
  expect(places).toBe(0);
});
