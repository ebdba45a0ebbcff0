import type { LoaderFunctionArgs } from "@remix-run/node";
import { writeLlmsText } from "../../api/document/markdown";
import { answerText } from "./text.server";

/** Answers the list of the reference's pages for language models (llmstxt.org). */
export const loader = ({ request, context }: LoaderFunctionArgs) =>
  answerText(request, writeLlmsText(context.appOrigin), "text/plain; charset=utf-8");
