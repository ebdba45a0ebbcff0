import type { AppLoadContext } from "@remix-run/node";
import { expect, test } from "vitest";
import { z } from "zod";
import { takeForm } from "../../app/http/form";

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
