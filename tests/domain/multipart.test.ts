import fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "../../app/domain/failure";
import { IMPORT_BYTES_MAX } from "../../app/domain/imports/import";
import { readUploadBody } from "../../app/http/upload";

/** Posts bytes as a form whose boundary is `x`, in pieces of some length. */
function post(
  body: Uint8Array | string,
  pieceBytes = 1 << 16,
  type = "multipart/form-data; boundary=x",
) {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  let at = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
  const options = {
    method: "POST",
    headers: { "content-type": type },
    body: stream,
    duplex: "half",
  };
  return new Request("http://localhost", options as RequestInit);
}

const part = (headers: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;

async function readCode(request: Request): Promise<string> {
  try {
    return JSON.stringify([...(await readUploadBody(request))]);
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

test("a form with a file is read the same in pieces of any length", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 200 }).map((s) => s.replaceAll("\0", ""));
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      fc.integer({ min: 1, max: 40 }),
      async (field, file, pieceBytes) => {
        const form = new FormData();
        form.append("note", field);
        form.append("file", new File([file], 'my "points".csv', { type: "text/csv" }));
        const whole = new Response(form);
        const type = whole.headers.get("content-type") ?? "";
        const bytes = new Uint8Array(await whole.arrayBuffer());
        const body = await readUploadBody(post(bytes, pieceBytes, type));
        expect([...body]).toEqual([
          ["note", field.replace(/\r\n|\r|\n/g, "\r\n")],
          ["file", file.replace(/^\uFEFF/, "")],
          ["fileName", 'my "points".csv'],
        ]);
      },
    ),
  );
});

test.each([
  ["no boundary", () => post("", 9, "multipart/form-data; charset=utf-8"), "invalid_form"],
  ["another encoding", () => post("a=b", 9, "application/x-www-form-urlencoded"), "invalid_form"],
  ["a body that is cut off", () => post(part('name="a"', "b")), "invalid_form"],
  ["a file that is cut off", () => post(part('name="file"; filename="a"', "b")), "invalid_form"],
  [
    "a file that is cut off within a long part",
    () => post(part('name="file"; filename="a"', "b".repeat(200_000)).slice(0, 150_000)),
    "invalid_form",
  ],
  ["a boundary with a part's headers cut off", () => post("--x\r\nContent-Dispo"), "invalid_form"],
  ["a body without parts", () => post("hello"), "invalid_form"],
  ["65 parts", () => post(`${part('name="a"', "b").repeat(65)}--x--\r\n`), "invalid_form"],
  ["a part without a name", () => post(`${part("", "b")}--x--\r\n`), "invalid_form"],
  [
    "a file of 10 MiB and a byte",
    () => post(`${part('name="file"; filename="a"', "b".repeat(IMPORT_BYTES_MAX + 1))}--x--\r\n`),
    "import_too_large",
  ],
  [
    "a body of 11 MiB",
    () => post(`${part('name="a"', "b".repeat(11 * 1024 * 1024))}--x--\r\n`),
    "import_too_large",
  ],
  [
    "a file in UTF-16",
    () => post(`${part('name="file"; filename="a"', "a\0b\0")}--x--\r\n`),
    "import_not_utf8",
  ],
  [
    "a file in Latin-1",
    () => post(Buffer.from(`${part('name="file"; filename="a"', "é")}--x--\r\n`, "latin1")),
    "import_not_utf8",
  ],
])("a form with %s is refused", async (_what, makeRequest, code) => {
  expect(await readCode(makeRequest())).toBe(code);
});
