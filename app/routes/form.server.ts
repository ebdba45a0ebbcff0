import { data } from "@remix-run/node";
import type { z } from "zod";
import { describeFailure, getFailureHeaders } from "../api/failures";
import { readBoundedText } from "../api/input";
import type { FormProblems } from "../components/form/problems";
import { Failure } from "../domain/failure";

/** Fields that are never sent back. */
const SECRET_FIELDS = ["password"];

/**
 * Takes a posted form: parses it once, by its schema, and hands the values on. What is wrong with a
 * field, and every failure, comes back as `problems`, for the form to show.
 * @param handle answers the form that is right, as a rule with a redirect
 */
export async function takeForm<Schema extends z.ZodObject>(
  request: Request,
  schema: Schema,
  handle: (values: z.output<Schema>) => Promise<Response>,
) {
  const values: Record<string, string> = {};
  const refuse = (
    status: number,
    problems: Pick<FormProblems, "form" | "fields">,
    headers: Record<string, string> = {},
  ) => {
    for (const name of SECRET_FIELDS) delete values[name];
    const answer: { problems: FormProblems } = { problems: { ...problems, values } };
    return data(answer, { status, headers });
  };
  try {
    const body = new URLSearchParams(await readBoundedText(request));
    for (const name of Object.keys(schema.shape)) values[name] = body.get(name) ?? "";
    const result = schema.safeParse(values);
    if (result.success) return await handle(result.data);
    const fields: Record<string, string> = {};
    for (const { path, message } of result.error.issues) fields[String(path[0])] ??= message;
    return refuse(400, { form: null, fields });
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
    const { status } = describeFailure(error);
    return refuse(status, { form: toSentence(error), fields: {} }, getFailureHeaders(error));
  }
}

/** The failure's text as a sentence, and when to come back. */
function toSentence(failure: Failure): string {
  const { message } = describeFailure(failure);
  const { retryAfterSeconds } = failure.details;
  if (retryAfterSeconds === undefined) return `${message}.`;
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return `${message}. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`;
}
