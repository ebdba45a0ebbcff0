import type { LoaderFunctionArgs } from "@remix-run/node";
import { writeReference } from "../../api/document/markdown";
import { EXAMPLE } from "../../domain/reference/example";
import { answerText } from "./text.server";

/** Answers the whole reference as Markdown: /docs.md, and /llms-full.txt for language models. */
export const loader = ({ request, context }: LoaderFunctionArgs) => {
  const text = writeReference({ ...EXAMPLE, origin: context.appOrigin });
  const isPlain = new URL(request.url).pathname.endsWith(".txt");
  return answerText(request, text, `text/${isPlain ? "plain" : "markdown"}; charset=utf-8`);
};
