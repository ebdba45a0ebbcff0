import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, Outlet, useLoaderData } from "@remix-run/react";
import { GUIDES } from "../../api/document/guides";
import { listEndpointGroups } from "../../api/document/pages";
import { findOperator } from "../../auth/request-operator";
import { Rail } from "../../components/docs/rail";
import { Brand } from "../../components/page/brand";
import { ErrorMessage } from "../../components/page/error-message";
import { page } from "../../http/page";

export const loader = page(async (args: LoaderFunctionArgs) => ({
  guides: GUIDES.map(({ slug, title }) => ({ slug, title })),
  groups: listEndpointGroups(),
  isSignedIn: (await findOperator(args)) !== null,
}));

export default function DocsLayout() {
  const { guides, groups, isSignedIn } = useLoaderData<typeof loader>();
  return (
    <div className="lg:grid lg:grid-cols-[17rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-10 rounded-lg bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:left-3 focus:top-3"
      >
        Skip to the content
      </a>
      <header className="lg:sticky lg:top-0 lg:flex lg:h-screen lg:flex-col lg:border-r lg:border-line lg:bg-raised">
        <div className="flex items-center justify-between gap-3 border-b border-line bg-raised px-4 py-3 lg:border-b-0 lg:px-6 lg:pt-5">
          <Link to="/docs" className="min-w-0 rounded-lg">
            <Brand />
          </Link>
          <Link
            to={isSignedIn ? "/dashboard" : "/sign-in"}
            className="shrink-0 text-sm text-accent hover:underline lg:hidden"
          >
            {isSignedIn ? "Dashboard" : "Sign in"}
          </Link>
        </div>
        <Rail guides={guides} groups={groups} />
        <p className="hidden border-t border-line px-6 py-4 text-sm lg:block">
          <Link to={isSignedIn ? "/dashboard" : "/sign-in"} className="text-accent hover:underline">
            {isSignedIn ? "Dashboard" : "Sign in for samples with your own ids"}
          </Link>
        </p>
      </header>
      <main id="content" className="min-w-0 px-4 py-8 sm:px-8 lg:py-12 xl:px-12">
        <Outlet />
      </main>
    </div>
  );
}

export function ErrorBoundary() {
  return (
    <main className="mx-auto max-w-2xl px-6 py-24">
      <ErrorMessage home={{ label: "Back to the reference", to: "/docs" }} />
    </main>
  );
}
