import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { requireMember } from "./member.server";
import { page } from "./page.server";

export const meta: MetaFunction = () => [{ title: "Members · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireMember(args, "viewer");
  return null;
});

export default function Placeholder() {
  return <h1 className="text-2xl font-semibold tracking-tight">Members</h1>;
}
