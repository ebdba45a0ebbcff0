import { json, type LoaderFunctionArgs } from "@remix-run/node";
import { page } from "../../http/page";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";

/**
 * Answers the manifest that Safe's web app asks for before it lists a page as an app:
 * `manifest.json` beneath the page's own address, from its own origin.
 */
export const loader = page(async ({ params, context }: LoaderFunctionArgs) => {
  const { id, name, logoUrl } = await getPublicPointSystem(params.slug ?? "");
  const icon = `${context.appOrigin}${logoUrl ? `/claim/${id}/logo` : "/favicon.svg"}`;
  return json(
    {
      name,
      short_name: name,
      description: `Check and claim your rewards of ${name}.`,
      iconPath: icon,
      icons: [{ src: icon, sizes: "any" }],
    },
    { headers: { "Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300" } },
  );
});
