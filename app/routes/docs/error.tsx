import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { createErrorPage } from "../../api/document/pages";
import { Code } from "../../components/docs/code";
import { MethodMark } from "../../components/docs/method-mark";
import { InlineCode } from "../../components/docs/prose";
import { Failure } from "../../domain/failure";
import { isApiErrorCode } from "../../domain/reference/error-help";
import { page } from "../../http/page";

export const loader = page(async ({ params }: LoaderFunctionArgs) => {
  const { code = "" } = params;
  if (!isApiErrorCode(code)) throw new Failure("not_found");
  return createErrorPage(code);
});

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? [{ title: `${data.code} · API reference` }, { name: "description", content: data.cause }]
    : [];

export default function ErrorReference() {
  const { code, status, message, cause, remedy, example, endpoints } =
    useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-3xl">
      <p className="text-sm">
        <Link to="/docs/errors" className="text-accent underline underline-offset-2">
          Errors
        </Link>
      </p>
      <h1 className="mt-2 break-all font-mono text-2xl font-semibold">{code}</h1>
      <p className="mt-3 flex flex-wrap items-center gap-2">
        <span className="rounded bg-sunken px-1.5 py-0.5 font-mono text-sm font-semibold">
          {status}
        </span>
        <InlineCode>{message}</InlineCode>
      </p>
      <h2 className="mt-8 text-lg font-semibold">Cause</h2>
      <p className="mt-2 leading-relaxed">{cause}</p>
      <h2 className="mt-8 text-lg font-semibold">Remedy</h2>
      <p className="mt-2 leading-relaxed">{remedy}</p>
      <h2 className="mb-2 mt-8 text-lg font-semibold">Example</h2>
      <Code label="Body of the error" text={example} />
      {endpoints.length > 0 && (
        <>
          <h2 className="mt-8 text-lg font-semibold">Answered by</h2>
          <ul className="mt-2 space-y-2">
            {endpoints.map(({ slug, method, path }) => (
              <li key={slug}>
                <Link
                  to={`/docs/endpoints/${slug}`}
                  className="inline-flex flex-wrap items-center gap-x-2 break-all font-mono text-sm text-accent underline underline-offset-2"
                >
                  <MethodMark method={method} />/{path}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
