import { type AppLoadContext, data } from "@remix-run/node";
import { z } from "zod";
import { type FormProblems, sayNoAnswer } from "../components/form/problems";
import { Failure } from "../domain/failure";
import { type FailureAnswer, toFailureAnswer } from "./answers";
import { dropBody, isMultipart } from "./multipart";
import { readBoundedText } from "./request";
import { takeUploadPlace } from "./upload-places";

/**
 * The names of fields that are never sent back, whatever is wrong with the form: passwords, gift
 * card codes and links.
 */
const SECRET_FIELD = /password|giftCodes|^link$/i;

/** Checks whether a field is never sent back. */
export const isSecretField = (name: string): boolean => SECRET_FIELD.test(name);

/** One of a page's forms: the schema of its fields, and its handler. */
interface FormHandler<Answer> {
  readonly shape: z.ZodRawShape;
  readonly take: (
    values: Readonly<Record<string, unknown>>,
  ) => Promise<{ answer: Answer } | { issues: readonly z.core.$ZodIssue[] }>;
}

/** The answers of a page's forms that pass their schema. */
type AnswerOf<Forms> = Forms[keyof Forms] extends FormHandler<infer Answer> ? Answer : never;

/**
 * Declares one of a page's forms, for `takeForms`.
 * @param handle answers a form that passes its schema: as a rule with `redirectWithNotice`; with
 *   data for the page when the answer is a secret, which must not be kept anywhere
 */
export function form<Schema extends z.ZodObject, Answer>(
  schema: Schema,
  handle: (values: z.output<Schema>) => Promise<Answer>,
): FormHandler<Answer> {
  return {
    shape: schema.shape,
    async take(values) {
      const result = schema.safeParse(values);
      if (!result.success) return { issues: result.error.issues };
      return { answer: await handle(result.data) };
    },
  };
}

interface FormOptions {
  /** The most bytes that the form may have, when it is more than 16 KiB. */
  readonly bytesMax?: number;
  /** Reads a form that comes in another encoding. Its fields are sent back up to 16 KiB each. */
  readonly readBody?: (request: Request) => Promise<URLSearchParams>;
  /** The operator who sends it. Needed by forms with a file, whose number at once is bounded. */
  readonly uploader?: string;
}

const SENT_BACK_CHARACTERS_MAX = 16 * 1024;

/** The arguments of an action. */
interface PostedForm {
  readonly request: Request;
  readonly context: AppLoadContext;
}

/** Takes the posted form of a page that has one form, as `takeForms` does. */
export function takeForm<Schema extends z.ZodObject, Answer>(
  args: PostedForm,
  schema: Schema,
  handle: (values: z.output<Schema>) => Promise<Answer>,
  options: FormOptions = {},
) {
  return takeForms(args, { "": form(schema, handle) }, options);
}

/**
 * Takes a posted form: parses it once, by its schema, and passes the values to its handler.
 * Problems of fields, and every failure, come back as `problems`, for the form to show.
 * @param forms by the value of the field `intent`, which tells a page's forms apart
 */
export async function takeForms<Forms extends Readonly<Record<string, FormHandler<unknown>>>>(
  { request, context }: PostedForm,
  forms: Forms,
  { bytesMax, readBody, uploader }: FormOptions = {},
) {
  let intent = "";
  let leave = () => {};
  const values: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  const refuse = (
    status: number,
    problems: Pick<FormProblems, "form" | "fields">,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    for (const [name, value] of Object.entries(values)) {
      const isTooLong = readBody !== undefined && value.length > SENT_BACK_CHARACTERS_MAX;
      if (isSecretField(name) || isTooLong) delete values[name];
    }
    for (const name of Object.keys(lists)) if (isSecretField(name)) delete lists[name];
    const answer: { problems: FormProblems } = { problems: { ...problems, intent, values, lists } };
    return data(answer, { status, headers });
  };
  try {
    try {
      if (uploader !== undefined && isMultipart(request)) leave = takeUploadPlace(uploader);
    } finally {
      intent = await peekIntent(request);
    }
    const body = readBody
      ? await readBody(request)
      : new URLSearchParams(await readBoundedText(request, bytesMax));
    intent = body.get("intent") ?? "";
    const handler = Object.hasOwn(forms, intent) ? forms[intent] : undefined;
    if (!handler) throw new Failure("invalid_form");
    for (const [name, field] of Object.entries(handler.shape)) {
      if (isList(field)) lists[name] = body.getAll(name);
      else values[name] = body.get(name) ?? "";
    }
    const posted = { ...values, ...lists };
    // The database holds no text with it, and no page sends it.
    const unfit = Object.entries(posted).find(([, each]) => String(each).includes("\0"));
    if (unfit) return refuse(400, { form: null, fields: { [unfit[0]]: "This is not plain text" } });
    const result = await handler.take(posted);
    if ("answer" in result) return result.answer as AnswerOf<Forms>;
    const fields: Record<string, string> = {};
    for (const { path, message } of result.issues) fields[String(path[0])] ??= message;
    return refuse(400, { form: null, fields });
  } catch (error) {
    const answer = toFailureAnswer(error, context);
    if (!answer) throw error;
    // An upload that found no place is read and dropped: see `readMultipart`.
    if (answer.failure.code === "too_many_uploads") await dropBody(request);
    if (answer.failure.code === "service_unavailable") {
      const problems = { form: sayNoAnswer(values), fields: {} };
      return refuse(answer.status, problems, answer.headers);
    }
    const { field } = answer.failure.details;
    const text = toSentence(answer);
    const isOfField = field !== undefined && field in (forms[intent]?.shape ?? {});
    const problems = isOfField
      ? { form: null, fields: { [field]: text } }
      : { form: text, fields: {} };
    return refuse(answer.status, problems, answer.headers);
  } finally {
    leave();
  }
}

/** The bytes of a posted form in which its intent stands: it is the first field. */
const HEAD_BYTES_MAX = 4 * 1024;
const HEAD_INTENT = /^intent=([\w-]*)|name="intent"\r\n\r\n([\w-]*)\r\n/;

/**
 * Reads the intent of a posted form from the beginning of its body, which can still be read. So the form is known too
 * when its body is refused.
 * @returns empty when the form has none there
 */
export async function peekIntent(request: Request): Promise<string> {
  const reader = request.clone().body?.getReader();
  let head = "";
  try {
    while (reader && head.length < HEAD_BYTES_MAX) {
      const { done, value } = await reader.read();
      if (done) break;
      head += Buffer.from(value).toString("latin1", 0, HEAD_BYTES_MAX);
      const [, encoded, part] = HEAD_INTENT.exec(head) ?? [];
      const intent = encoded ?? part;
      if (intent) return intent;
    }
    return "";
  } finally {
    // It ends only once the other copy of the body has been read.
    reader?.cancel().catch(() => {});
  }
}

/** Checks whether a field takes several values, as a group of checkboxes does. */
function isList(field: unknown): boolean {
  if (field instanceof z.ZodPipe) return isList(field.in);
  return field instanceof z.ZodArray;
}

/** Writes the failure's text as a sentence, and when to try again. */
function toSentence({ failure, message }: FailureAnswer): string {
  const { retryAfterSeconds } = failure.details;
  if (retryAfterSeconds === undefined) return `${message}.`;
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return `${message}. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`;
}
