import { createHash } from "node:crypto";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { page } from "../../http/page";
import { getShareImage } from "../../services/board/share-image";
import { admitPublicCall } from "../../services/runtime/public-limit";

/** Answers the picture that messengers and social networks show beside a link to the board. */
export const loader = page(async ({ request, params, context }: LoaderFunctionArgs) => {
  await admitPublicCall(context.ip);
  const image = await getShareImage(params.slug ?? "");
  const etag = `"${createHash("sha256").update(image).digest("hex").slice(0, 32)}"`;
  const headers = { "Cache-Control": "public, max-age=600", ETag: etag };
  if (request.headers.get("if-none-match")?.includes(etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(image, {
    headers: { ...headers, "Content-Type": "image/png", "Content-Length": String(image.length) },
  });
});
