import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { createEndpointPage, findEndpointPath } from "../../api/document/pages";
import { API_ENDPOINTS } from "../../api/endpoints";
import { Code } from "../../components/docs/code";
import { Fields, Forms } from "../../components/docs/fields";
import { MethodMark } from "../../components/docs/method-mark";
import { InlineCode } from "../../components/docs/prose";
import { Samples } from "../../components/docs/samples";
import { Failure } from "../../domain/failure";
import { page } from "../../http/page";
import { findReader } from "./reader.server";

export const loader = page(async (args: LoaderFunctionArgs) => {
  const path = findEndpointPath(args.params.endpoint ?? "");
  if (!path) throw new Failure("not_found");
  const { values, pointSystem } = await findReader(args, API_ENDPOINTS[path].permission);
  return { ...createEndpointPage(path, values), pointSystem, keyName: values.keyName };
});

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? [{ title: `${data.title} · API reference` }, { name: "description", content: data.summary }]
    : [];

export default function EndpointReference() {
  const data = useLoaderData<typeof loader>();
  const { method, path, title, use, avoid, notes, permission, access } = data;
  const ofCall = data.errors.filter(({ hasItem }) => !hasItem);
  const ofItem = data.errors.filter(({ hasItem }) => hasItem);
  return (
    <div className="mx-auto grid max-w-6xl gap-x-12 gap-y-8 xl:grid-cols-[minmax(0,1fr)_27rem]">
      <div className="min-w-0">
        <h1 className="text-3xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-3 flex flex-wrap items-center gap-2 font-mono text-sm">
          <MethodMark method={method} />
          <span className="break-all">/{path}</span>
          <span className="rounded-full border border-line px-2 py-0.5 font-sans text-xs text-ink-muted">
            {access}
          </span>
        </p>
        <p className="mt-5 leading-relaxed">{use}</p>
        <p className="mt-3 leading-relaxed text-ink-muted">{avoid}</p>
      </div>
      <aside
        aria-label="Samples"
        className="min-w-0 space-y-5 xl:sticky xl:top-12 xl:row-span-2 xl:max-h-[calc(100vh-6rem)] xl:self-start xl:overflow-y-auto"
      >
        <Samples samples={data.samples} />
        {data.pointSystem !== null && (
          <p className="text-xs text-ink-muted">
            With the ids of {data.pointSystem}
            {permission !== null &&
              (data.keyName === null
                ? ". You have no key that may make this call"
                : `, and your key “${data.keyName}”`)}
            .
          </p>
        )}
        <div>
          <h2 className="mb-2 text-sm font-medium">Answer</h2>
          <Code label="Answer" text={data.example} />
        </div>
      </aside>
      <div className="min-w-0 space-y-10">
        {data.headers.length > 0 && (
          <Section heading="Headers">
            <Fields fields={data.headers} marks="required" />
          </Section>
        )}
        <Section heading={method === "GET" ? "Parameters" : "Body"}>
          <Fields fields={data.inputs} marks="required" />
        </Section>
        <Section heading="Answer fields">
          <Fields fields={data.answer.fields} />
          <Forms forms={data.answer.forms} />
        </Section>
        <Section heading="Limits and rules">
          <ul className="list-disc space-y-2 py-3 pl-5 text-sm leading-relaxed">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Section>
        <Section heading="Errors">
          <ul className="divide-y divide-line">
            {ofCall.map(({ code, status, message, cause, remedy }) => (
              <li key={code} className="py-3 text-sm">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-mono font-semibold">{status}</span>
                  <ErrorLink code={code} />
                  <span className="text-ink-muted">{message}</span>
                </p>
                <p className="mt-1">{cause}</p>
                <p className="mt-1 text-ink-muted">{remedy}</p>
              </li>
            ))}
            {ofItem.length > 0 && (
              <li className="py-3 text-sm">
                <p>
                  <span className="font-mono font-semibold">409</span> for one item of an atomic
                  batch, with its place as <InlineCode>item</InlineCode>:
                </p>
                <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
                  {ofItem.map(({ code }) => (
                    <li key={code}>
                      <ErrorLink code={code} />
                    </li>
                  ))}
                </ul>
              </li>
            )}
          </ul>
        </Section>
        <p className="text-sm text-ink-muted">
          The call is also served at <InlineCode>/api/{path}</InlineCode> and{" "}
          <InlineCode>/api/sdk/{path}</InlineCode>.
        </p>
      </div>
    </div>
  );
}

function ErrorLink({ code }: { code: string }) {
  return (
    <Link
      to={`/docs/errors/${code}`}
      className="break-all font-mono text-accent underline underline-offset-2"
    >
      {code}
    </Link>
  );
}

function Section({ heading, children }: { heading: string; children: React.ReactNode }) {
  return (
    <section aria-label={heading}>
      <h2 className="border-b border-line pb-2 text-lg font-semibold tracking-tight">{heading}</h2>
      {children}
    </section>
  );
}
