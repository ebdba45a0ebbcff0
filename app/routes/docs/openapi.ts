import type { LoaderFunctionArgs } from "@remix-run/node";
import { createOpenApiDocument } from "../../api/document/openapi";
import { answerText } from "./text.server";

let text: string | undefined;

/** Answers the OpenAPI document, which a process makes once. */
export const loader = ({ request }: LoaderFunctionArgs) => {
  text ??= `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;
  return answerText(request, text, "application/json; charset=utf-8");
};
