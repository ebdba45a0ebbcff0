import type { LoaderFunctionArgs } from "@remix-run/node";
import { Failure } from "../../domain/failure";
import { page } from "../../http/page";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";

const DATA_URL = /^data:([^;]+);base64,(.+)$/;

/**
 * Answers a point system's logo as a file, so that live pages do not carry it in each of their
 * answers.
 */
export const loader = page(async ({ params }: LoaderFunctionArgs) => {
  const { logoUrl } = await getPublicPointSystem(params.slug ?? "");
  const [, type = "", text = ""] = DATA_URL.exec(logoUrl ?? "") ?? [];
  if (!text) throw new Failure("not_found");
  return new Response(Buffer.from(text, "base64"), {
    headers: { "Content-Type": type, "Cache-Control": "public, max-age=300" },
  });
});
