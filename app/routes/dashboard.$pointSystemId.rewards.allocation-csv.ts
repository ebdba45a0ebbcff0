import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireMember } from "./member.server";

export async function loader(args: LoaderFunctionArgs) {
  await requireMember(args, "viewer");
  return new Response("");
}
