import type { MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { listErrorPages } from "../../api/document/pages";
import { page } from "../../http/page";

export const meta: MetaFunction = () => [{ title: "Errors · API reference" }];

export const loader = page(async () => ({
  errors: listErrorPages().map(({ code, status, message, cause }) => ({
    code,
    status,
    message,
    cause,
  })),
}));

export default function Errors() {
  const { errors } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-4xl">
      <h1 className="text-3xl font-semibold tracking-tight">Errors</h1>
      <p className="mt-3 max-w-2xl text-ink-muted">
        Every error has one body: a message under two names, and a code for programs. The header
        Link leads from an answer to its page here.
      </p>
      <ul className="mt-8 divide-y divide-line overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        {errors.map(({ code, status, message, cause }) => (
          <li key={code}>
            <Link
              to={`/docs/errors/${code}`}
              className="flex flex-col gap-1 px-5 py-3 hover:bg-sunken sm:flex-row sm:gap-4"
            >
              <span className="font-mono text-sm font-semibold">{status}</span>
              <span className="min-w-0">
                <span className="break-all font-mono text-sm">{code}</span>
                <span className="mt-0.5 block text-sm text-ink-muted">{message}</span>
                <span className="sr-only">: {cause}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
