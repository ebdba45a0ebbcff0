import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { fillExamples, GUIDES } from "../../api/document/guides";
import { Prose } from "../../components/docs/prose";
import { Failure } from "../../domain/failure";
import { parseMarkdown } from "../../domain/reference/markdown";
import { page } from "../../http/page";
import { findReader } from "./reader.server";

export const loader = page(async (args: LoaderFunctionArgs) => {
  const guide = GUIDES.find(({ slug }) => slug === args.params.guide);
  if (!guide) throw new Failure("not_found");
  const { values } = await findReader(args);
  return { title: guide.title, blocks: parseMarkdown(fillExamples(guide.markdown, values)) };
});

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? [{ title: `${data.title} · API reference` }] : [];

export default function GuidePage() {
  const { blocks } = useLoaderData<typeof loader>();
  return (
    <article className="mx-auto max-w-3xl">
      <Prose blocks={blocks} />
    </article>
  );
}
