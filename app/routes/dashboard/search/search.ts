import type { LoaderFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { mayRead } from "../../../domain/access/pages";
import { Failure } from "../../../domain/failure";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { searchPointSystem } from "../../../services/search/search";

const Query = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u);

/** Answers a search of the command palette in a point system, as JSON. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("search"));
  const { success, data: text } = Query.safeParse(new URL(args.request.url).searchParams.get("q"));
  if (!success) throw new Failure("missing_parameter", { name: "q" });
  const headers = { "Cache-Control": "no-store" };
  return Response.json(await searchPointSystem(member, text), { headers });
});
