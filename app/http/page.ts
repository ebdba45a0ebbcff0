import type { AppLoadContext } from "@remix-run/node";
import { toFailureAnswer } from "./answers";

/**
 * Makes a page's loader or action throw failures as the status and text that the API gives them. The
 * nearest error boundary shows them. Any other error is a bug and is thrown on.
 */
export function page<Args extends { context: AppLoadContext }, Result>(
  handle: (args: Args) => Promise<Result>,
): (args: Args) => Promise<Result> {
  return async (args) => {
    try {
      return await handle(args);
    } catch (error) {
      const answer = toFailureAnswer(error, args.context);
      if (!answer) throw error;
      throw new Response(answer.message, { status: answer.status, headers: answer.headers });
    }
  };
}
