import type { AppLoadContext } from "@remix-run/node";
import { describeFailure, getFailureHeaders } from "../api/failures";
import { Failure } from "../domain/failure";

/**
 * Makes a page's loader or action answer failures with the status and text that the API gives them;
 * the nearest error boundary shows them. Anything else is a bug and stays one.
 */
export function page<Args extends { context: AppLoadContext }, Result>(
  handle: (args: Args) => Promise<Result>,
): (args: Args) => Promise<Result> {
  return async (args) => {
    try {
      return await handle(args);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.details.cause) args.context.logError(error.details.cause);
      const { status, message } = describeFailure(error);
      throw new Response(message, { status, headers: getFailureHeaders(error) });
    }
  };
}
