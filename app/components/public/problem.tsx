import { isRouteErrorResponse, useRouteError } from "@remix-run/react";

/**
 * Replaces a public page that cannot be shown.
 * @param props.what the kind of the page, in a word or two
 */
export function PublicProblem({ what = "leaderboard" }: { what?: string }) {
  const error = useRouteError();
  const isMissing = isRouteErrorResponse(error) && error.status === 404;
  const heading = isMissing ? `There is no ${what} here` : `The ${what} is not available`;
  return (
    <main className="mx-auto flex min-h-[80vh] max-w-md flex-col items-center justify-center px-6 py-12 text-center">
      <title>{heading}</title>
      <svg aria-hidden="true" viewBox="0 0 48 32" className="h-12 fill-sunken stroke-line">
        <rect x="1" y="14" width="13" height="17" rx="2" />
        <rect x="17.5" y="4" width="13" height="27" rx="2" />
        <rect x="34" y="19" width="13" height="12" rx="2" />
      </svg>
      <h1 className="mt-6 text-2xl font-semibold tracking-tight">{heading}</h1>
      <p className="mt-2 text-ink-muted">
        {isMissing
          ? `The address may be mistyped, or the ${what} is no longer public.`
          : "Try again in a moment."}
      </p>
    </main>
  );
}
