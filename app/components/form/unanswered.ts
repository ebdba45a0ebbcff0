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
  const places: unknown[] = [];
  listValue({ data: { problems } }, places);
  return new Response(`${JSON.stringify(places)}\n`, { status: 503 });
}

/**
 * Adds a value of strings, lists and objects to a list in which each is named by its place, and returns its place. This
 * is the format of turbo-stream, whose own writer would be one hundredth of each page's scripts.
 */
function listValue(value: unknown, places: unknown[]): number {
  const place = places.push(value) - 1;
  if (Array.isArray(value)) {
    places[place] = value.map((entry) => listValue(entry, places));
  } else if (typeof value === "object" && value !== null) {
    places[place] = Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [
        `_${listValue(name, places)}`,
        listValue(entry, places),
      ]),
    );
  }
  return place;
}
