import { decode } from "turbo-stream";
import { afterEach, expect, test, vi } from "vitest";
import { keepUnansweredForms } from "../../app/components/form/unanswered";

const ACTION = "http://points.example/dashboard/new.data";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Sends a form where each request has this end, and reads the answer as Remix does. */
async function sendForm(
  body: URLSearchParams | FormData,
  end: () => Promise<Response>,
): Promise<unknown> {
  vi.stubGlobal("window", { fetch: end });
  keepUnansweredForms();
  const answer = await window.fetch(ACTION, { method: "POST", body });
  if (!answer.body) throw new Error("No body");
  return (await decode(answer.body)).value;
}

const FIELDS = new URLSearchParams([
  ["intent", "create"],
  ["name", 'Two "quoted" words, é and \n'],
  ["on", "a"],
  ["on", "b"],
]);
const problems = {
  intent: "create",
  form: expect.stringContaining("did not answer in time"),
  fields: {},
  values: { intent: "create", name: 'Two "quoted" words, é and \n', on: "b" },
  lists: { intent: ["create"], name: ['Two "quoted" words, é and \n'], on: ["a", "b"] },
};

test.each([
  ["whose connection breaks", () => Promise.reject(new TypeError("fetch failed"))],
  ["that a proxy answers", async () => new Response("<html>", { status: 502 })],
])("a form %s gets back what was typed, in the format that Remix reads", async (_, end) => {
  expect(await sendForm(FIELDS, end)).toEqual({ data: { problems } });
});

test("a form with a file alone gets back a form without values", async () => {
  const form = new FormData();
  form.append("file", new Blob(["0x"]), "wallets.csv");
  const nothing = { intent: "", fields: {}, values: {}, lists: {} };
  const answer = await sendForm(form, () => Promise.reject(new TypeError("fetch failed")));
  expect(answer).toEqual({ data: { problems: { ...problems, ...nothing } } });
});

test("the service's answer, and the end of a request that was given up, stay as they are", async () => {
  const answer = new Response('["SingleFetch"]\n', {
    headers: { "Content-Type": "text/x-script" },
  });
  expect(await sendForm(FIELDS, async () => answer)).toBe("SingleFetch");
  const isGivenUp = () => Promise.reject(new DOMException("Given up", "AbortError"));
  await expect(sendForm(FIELDS, isGivenUp)).rejects.toThrow("Given up");
});
