import { encode } from "turbo-stream";
import { type FormProblems, sayNoAnswer } from "./problems";

/**
 * Lets a form whose request has no answer stay on its page, with its text: Remix shows the error page, and what was typed
 * is lost. Such a request is answered here as the service answers when its database is away.
 */
export function keepUnansweredForms(): void {
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const { method, body } = init ?? {};
    const isForm = body instanceof URLSearchParams || body instanceof FormData;
    if (method !== "POST" || !isForm || !new URL(String(input)).pathname.endsWith(".data")) {
      return send(input, init);
    }
    const answer = await send(input, init).catch((error: unknown) => {
      // An aborted request has another error.
      if (error instanceof TypeError) return null;
      throw error;
    });
    // Anything else than Remix's format is of a proxy in between.
    const isOfService = answer?.headers.get("content-type")?.startsWith("text/x-script");
    return answer && isOfService ? answer : answerForm(body);
  };
}

function answerForm(body: URLSearchParams | FormData): Response {
  const values: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  for (const [name, value] of body) {
    if (typeof value !== "string") continue;
    values[name] = value;
    lists[name] = [...(lists[name] ?? []), value];
  }
  const problems: FormProblems = {
    ...{ intent: values.intent ?? "", form: sayNoAnswer(values), fields: {}, values, lists },
  };
  return new Response(encode({ data: { problems } }), { status: 503 });
}
