import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { CLIENT_ENDPOINTS } from "../api/endpoints";
import { findOperator } from "../auth/request-operator";
import { Brand } from "../components/page/brand";
import { getButtonClass } from "../components/ui/button";
import { page } from "../http/page";

export const meta: MetaFunction = () => [
  { title: "Points and Rewards" },
  { name: "description", content: "Loyalty points for wallets: triggers, ranks and rewards." },
];

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (await findOperator(args)) throw redirect("/dashboard");
  return {
    endpoints: Object.entries(CLIENT_ENDPOINTS).map(([path, { method, summary }]) => ({
      call: `${method} /${path}`,
      summary,
    })),
  };
});

export default function Start() {
  const { endpoints } = useLoaderData<typeof loader>();
  return (
    <main className="mx-auto max-w-2xl px-6 py-16 sm:py-24">
      <Brand />
      <h1 className="mt-8 text-3xl font-semibold tracking-tight">This service is running</h1>
      <p className="mt-4 text-ink-muted">
        Backends fire triggers with an API key, and wallets earn points.
      </p>
      <p className="mt-6 flex flex-wrap gap-3">
        <Link to="/sign-in" className={getButtonClass()}>
          Sign in
        </Link>
        <Link to="/docs" className={getButtonClass("quiet")}>
          API reference
        </Link>
      </p>
      <h2 className="mt-12 text-lg font-semibold">Endpoints</h2>
      <dl className="mt-4 divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
        {endpoints.map(({ call, summary }) => (
          <div key={call} className="flex flex-col gap-1 px-4 py-3 sm:flex-row sm:gap-6">
            <dt className="w-64 shrink-0 font-mono text-sm">{call}</dt>
            <dd className="text-sm text-ink-muted">{summary}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}
