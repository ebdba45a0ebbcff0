import type { AppLoadContext } from "@remix-run/node";
import { toFailureAnswer } from "./answers";
import { keepUnsentForm } from "./unsent-form";

/**
 * Makes a page's loader or action throw failures as the status and text that the API gives them. The
 * nearest error boundary shows them. Any other error is a bug and is thrown on. A form that was not
 * taken comes back to its page.
 */
export function page<Args extends { context: AppLoadContext; request: Request }, Result>(
  handle: (args: Args) => Promise<Result>,
): (args: Args) => Promise<Result> {
  return async (args) => {
    try {
      return await handle(args);
    } catch (error) {
      const answer = toFailureAnswer(error, args.context);
      const kept = await keepUnsentForm(error, args.request);
      // Every action that takes a form answers problems of this kind already: see `takeForms`.
      if (kept) return kept as Result;
      if (!answer) throw error;
      throw new Response(answer.message, { status: answer.status, headers: answer.headers });
    }
  };
}
