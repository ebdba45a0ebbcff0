import type { AppLoadContext } from "@remix-run/node";
import { describeFailure } from "../api/failures";
import { Failure } from "../domain/failure";

/** What a page's search box found, or why it could not look. */
export interface Search<Found> {
  readonly text: string;
  readonly found: Found | null;
  readonly problem: string | null;
  readonly status: number;
}

/** Looks for what was typed: what is wrong with it is said beside the box, and the page stays. */
export async function lookFor<Found>(
  { context }: { context: AppLoadContext },
  text: string,
  find: (text: string) => Promise<Found>,
): Promise<Search<Found>> {
  try {
    return { text, found: await find(text), problem: null, status: 200 };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
    if (error.details.cause) context.logError(error.details.cause);
    const { status, message } = describeFailure(error);
    // The page itself is well: nothing between here and the browser is to put its own in its place.
    return { text, found: null, problem: `${message}.`, status: status < 500 ? status : 200 };
  }
}
