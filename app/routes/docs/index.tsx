import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { GUIDES } from "../../api/document/guides";
import { listEndpointGroups } from "../../api/document/pages";
import { MethodMark } from "../../components/docs/method-mark";
import { InlineCode } from "../../components/docs/prose";
import { page } from "../../http/page";

export const meta: MetaFunction = () => [
  { title: "API reference · Points and Rewards" },
  { name: "description", content: "Every endpoint, parameter, answer and error of the API." },
];

export const loader = page(async ({ context }: LoaderFunctionArgs) => ({
  origin: context.appOrigin,
  guides: GUIDES.map(({ slug, title }) => ({ slug, title })),
  groups: listEndpointGroups(),
}));

const GUIDE_NOTES: Readonly<Record<string, string>> = {
  quickstart: "The first credit in five minutes",
  crediting: "Variable points, batches, metadata",
  retries: "Which calls to repeat, and how none counts twice",
  claims: "From a wallet to a paid claim",
  sdk: "Types, retries, pages, proofs and webhooks without a dependency",
  compatibility: "What may change, and how it is announced",
};

const FILES = [
  { path: "/openapi.json", note: "OpenAPI 3.1, for tools and generators" },
  { path: "/docs.md", note: "the whole reference as Markdown" },
  { path: "/llms.txt", note: "the list of pages for language models" },
  { path: "/llms-full.txt", note: "the whole reference for language models" },
];

export default function DocsIndex() {
  const { origin, guides, groups } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-4xl">
      <h1 className="text-3xl font-semibold tracking-tight">API reference</h1>
      <p className="mt-3 max-w-2xl text-lg text-ink-muted">
        Backends fire triggers with an API key, and wallets earn points. Reads show every credit at
        once; rewards are claimed on chain.
      </p>
      <dl className="mt-8 grid gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-3">
        <Fact term="Base URL">
          <InlineCode>{origin}</InlineCode>
        </Fact>
        <Fact term="Authentication">
          <InlineCode>Authorization: Bearer rw_…</InlineCode>
        </Fact>
        <Fact term="Errors">
          <InlineCode>{"{error, message, code}"}</InlineCode>
        </Fact>
      </dl>
      <h2 className="mt-10 text-xl font-semibold tracking-tight">Guides</h2>
      <ul className="mt-4 grid gap-3 sm:grid-cols-2">
        {guides.map(({ slug, title }) => (
          <li key={slug}>
            <Link
              to={`/docs/${slug}`}
              className="block h-full rounded-xl border border-line bg-raised px-5 py-4 shadow-sm hover:border-accent"
            >
              <span className="font-medium">{title}</span>
              <span className="mt-1 block text-sm text-ink-muted">{GUIDE_NOTES[slug]}</span>
            </Link>
          </li>
        ))}
      </ul>
      {groups.map(({ group, endpoints }) => (
        <section key={group} aria-label={group}>
          <h2 className="mt-10 text-xl font-semibold tracking-tight">{group}</h2>
          <ul className="mt-4 divide-y divide-line overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
            {endpoints.map(({ slug, method, path, summary }) => (
              <li key={slug}>
                <Link
                  to={`/docs/endpoints/${slug}`}
                  className="flex flex-col gap-1 px-5 py-3 hover:bg-sunken sm:flex-row sm:items-center sm:gap-4"
                >
                  <span className="flex w-64 shrink-0 items-center gap-2 font-mono text-sm">
                    <MethodMark method={method} />/{path}
                  </span>
                  <span className="text-sm text-ink-muted">{summary}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <h2 className="mt-10 text-xl font-semibold tracking-tight">For programs</h2>
      <ul className="mt-3 space-y-1.5 text-sm">
        {FILES.map(({ path, note }) => (
          <li key={path}>
            <a href={path} className="font-mono text-accent underline underline-offset-2">
              {path}
            </a>
            <span className="text-ink-muted">: {note}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Fact({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0 bg-raised px-5 py-4">
      <dt className="text-sm text-ink-muted">{term}</dt>
      <dd className="mt-1 break-words text-sm">{children}</dd>
    </div>
  );
}
