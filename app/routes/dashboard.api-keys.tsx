import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { requireActor } from "./member.server";
import { page } from "./page.server";

export const meta: MetaFunction = () => [{ title: "API keys · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireActor(args);
  return null;
});

export default function Placeholder() {
  return <h1 className="text-2xl font-semibold tracking-tight">API keys</h1>;
}
