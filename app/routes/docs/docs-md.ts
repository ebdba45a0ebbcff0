import type { LoaderFunctionArgs } from "@remix-run/node";
import { writeReference } from "../../api/document/markdown";
import { EXAMPLE } from "../../domain/reference/example";
import { answerText } from "./text.server";

// It is long, and the same until the service starts again: only a service without ORIGIN has more than one.
let kept = { origin: "", text: "" };

function getReference(origin: string): string {
  if (kept.origin !== origin) {
    kept = { origin, text: writeReference({ ...EXAMPLE, origin }) };
  }
  return kept.text;
}

/** Answers the whole reference as Markdown: /docs.md, and /llms-full.txt for language models. */
export const loader = ({ request, context }: LoaderFunctionArgs) => {
  const text = getReference(context.appOrigin);
  const isPlain = new URL(request.url).pathname.endsWith(".txt");
  return answerText(request, text, `text/${isPlain ? "plain" : "markdown"}; charset=utf-8`);
};
