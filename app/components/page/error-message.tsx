import { type ErrorResponse, isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { getButtonClass } from "../ui/button";

const TEXTS = {
  missing: {
    title: "Page not found",
    heading: "Page not found",
    text: "Check the address. The page may have been removed.",
  },
  refused: {
    title: "Not allowed",
    heading: "You do not have permission",
    text: "Your role in this point system does not allow this. Ask its owner.",
  },
  unavailable: {
    title: "Not available",
    heading: "The service is not available right now",
    text: "The database does not answer. Try again in a moment.",
  },
  lost: {
    title: "No answer",
    heading: "The service did not answer",
    text: "Try again in a moment. If you sent a form, look first whether its change was made.",
  },
  stopped: {
    title: "Not possible",
    heading: "This is not possible now",
    text: "Go back and look again.",
  },
  broken: {
    title: "Something went wrong",
    heading: "Something went wrong",
    text: "The error was logged. Try again in a moment.",
  },
} as const;

/** Shows the error of an error boundary; `home` is a way out. */
export function ErrorMessage({ home }: { home: { label: string; to: string } }) {
  const error = useRouteError();
  const kind = findKind(error);
  const { title, heading, text } = TEXTS[kind];
  return (
    <>
      <title>{title}</title>
      <h1 className="text-2xl font-semibold tracking-tight">{heading}</h1>
      <p className="mt-3 text-ink-muted">
        {kind === "stopped" && `${(error as ErrorResponse).data}. `}
        {text}
      </p>
      <a className={`mt-8 ${getButtonClass("quiet")}`} href={home.to}>
        {home.label}
      </a>
    </>
  );
}

function findKind(error: unknown): keyof typeof TEXTS {
  if (!isRouteErrorResponse(error)) return isLost(error) ? "lost" : "broken";
  if (error.status === 404) return "missing";
  if (error.status === 403) return "refused";
  if (error.status === 503) return "unavailable";
  // Such answers of a loader have the failure's text: see `page`.
  return REFUSALS.includes(error.status) ? "stopped" : "broken";
}

const REFUSALS = [400, 409, 413, 429];

/** How browsers begin the message of a request that failed: Chromium, Firefox and Safari. */
const FAILED_REQUEST = /^(Failed to fetch|NetworkError|Load failed)/;

/** Checks whether a script's request got no answer, or one that is not of this service, such as a proxy's. */
function isLost(error: unknown): boolean {
  if (error instanceof TypeError) return FAILED_REQUEST.test(error.message);
  return error instanceof Error && error.message.startsWith("Unable to decode");
}
