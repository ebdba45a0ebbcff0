import type { AppLoadContext } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { toFailureAnswer } from "./answers";

/** The result of a page's search box, or why it could not search. */
export interface Search<Found> {
  readonly text: string;
  readonly found: Found | null;
  readonly problem: string | null;
  readonly status: number;
}

/** Searches for the typed text. A failure is shown beside the box, and the page stays. */
export async function lookFor<Found>(
  { context }: { context: AppLoadContext },
  text: string,
  find: (text: string) => Promise<Found>,
): Promise<Search<Found>> {
  try {
    return { text, found: await find(text), problem: null, status: 200 };
  } catch (error) {
    if (error instanceof Failure && error.code === "service_unavailable") throw error;
    const answer = toFailureAnswer(error, context);
    if (!answer) throw error;
    const { status, message } = answer;
    // The page itself works, so no proxy between here and the browser may replace it with an error
    // page.
    return { text, found: null, problem: `${message}.`, status: status < 500 ? status : 200 };
  }
}
