import { createHash } from "node:crypto";

/**
 * Answers a text of the reference, for programs of any origin. It changes with a release only, so
 * caches keep it for five minutes and then ask whether it is still the same.
 */
export function answerText(request: Request, text: string, contentType: string): Response {
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=300",
    ETag: etag,
  };
  const known = (request.headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim());
  if (known.includes(etag) || known.includes(`W/${etag}`)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(text, { headers: { ...headers, "Content-Type": contentType } });
}
