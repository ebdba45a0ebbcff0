import { type AppLoadContext, json } from "@remix-run/node";
import { describeFailure, getFailureHeaders } from "../api/failures";
import { Failure } from "../domain/failure";

/**
 * Makes the loader or action of a route that only scripts call answer JSON, in no cache; failures
 * with their status, code and text, as the API answers them.
 */
export function jsonRoute<Args extends { context: AppLoadContext }>(
  handle: (args: Args) => Promise<object>,
): (args: Args) => Promise<Response> {
  return async (args) => {
    const headers = { "Cache-Control": "no-store" };
    try {
      return json(await handle(args), { headers });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.details.cause) args.context.logError(error.details.cause);
      const { status, message } = describeFailure(error);
      return json(
        { error: message, message, code: error.code },
        { status, headers: { ...headers, ...getFailureHeaders(error) } },
      );
    }
  };
}
