import type { AppLoadContext } from "@remix-run/node";
import { answerError, answerJson } from "./answers";
import { checkMethod } from "./request";

/**
 * Makes the loader and action of a route that only scripts call. The route answers JSON, and errors
 * as the API answers them.
 */
export function jsonRoute<Args extends { request: Request; context: AppLoadContext }>(
  method: "GET" | "POST",
  handle: (args: Args) => Promise<object>,
): (args: Args) => Promise<Response> {
  return async (args) => {
    try {
      checkMethod(args.request.method, method);
      return answerJson(await handle(args), args.context);
    } catch (error) {
      return answerError(error, args.context);
    }
  };
}
