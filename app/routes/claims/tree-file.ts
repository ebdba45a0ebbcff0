import type { LoaderFunctionArgs } from "@remix-run/node";
import { streamDownload } from "../../http/download";
import { page } from "../../http/page";
import { getTreeFile, writePublicTrees } from "../../services/campaigns/tree-files";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";
import { admitPublicCall } from "../../services/runtime/public-limit";

/**
 * Answers all trees of a campaign whose tokens are in the campaign contract, for
 * `docs/verify-campaign.ts`. With `?sha256=` it is that file for ever, otherwise the newest one.
 */
export const loader = page(async ({ request, params, context }: LoaderFunctionArgs) => {
  await admitPublicCall(context.ip);
  const { id } = await getPublicPointSystem(params.slug ?? "");
  const sha256 = new URL(request.url).searchParams.get("sha256");
  const file = await getTreeFile(id, params.campaign ?? "", sha256);
  const headers = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": sha256 === null ? "public, max-age=60" : "public, max-age=31536000, immutable",
    ETag: `"${file.sha256}"`,
  };
  const known = request.headers.get("if-none-match");
  if (known?.includes(headers.ETag)) return new Response(null, { status: 304, headers });
  const answer = streamDownload(
    `${file.campaignId}-tree.json`,
    "application/json; charset=utf-8",
    await writePublicTrees(file),
    context,
  );
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  answer.headers.set("Content-Length", String(file.length));
  return answer;
});
