import type { AppLoadContext } from "@remix-run/node";
import { expect, test } from "vitest";
import { z } from "zod";
import { form, takeForm, takeForms } from "../../app/http/form";
import { readUploadBody } from "../../app/http/upload";

test("a field with U+0000 is refused beside it, whatever its schema takes", async () => {
  const post = (key: string) => {
    const body = new URLSearchParams({ key });
    const request = new Request("http://service/", { method: "POST", body });
    const args = { request, context: {} as AppLoadContext };
    return takeForm(args, z.object({ key: z.string() }), async () => "taken");
  };
  expect(await post("a")).toBe("taken");
  expect(await post("a\0")).toMatchObject({
    data: { problems: { fields: { key: "This is not plain text" } } },
    init: { status: 400 },
  });
});

/** Posts the second form of a page with two. */
async function postSecond(body: URLSearchParams | FormData) {
  const take = form(z.object({ text: z.string() }), async () => "taken");
  const request = new Request("http://service/", { method: "POST", body });
  const readBody = body instanceof FormData ? { readBody: readUploadBody } : {};
  return takeForms(
    { request, context: { logError: () => {} } as unknown as AppLoadContext },
    { first: take, second: take },
    readBody,
  );
}

test("a form whose body is refused shows why on its own place of a page with several", async () => {
  const upload = new FormData();
  upload.append("intent", "second");
  upload.append("text", new File([Buffer.from([0xff])], "latin-1.csv"));
  const long = new URLSearchParams({ intent: "second", text: "a".repeat(20_000) });
  for (const [body, status] of [
    [long, 413],
    [upload, 400],
  ] as const) {
    const answer = await postSecond(body);
    expect(answer).toMatchObject({ data: { problems: { intent: "second" } }, init: { status } });
  }
  expect(await postSecond(new URLSearchParams({ intent: "second", text: "&intent=first" }))).toBe(
    "taken",
  );
});
