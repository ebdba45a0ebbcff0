import { data } from "@remix-run/node";
import { SIGN_IN_PATH } from "../auth/wanted-page";
import type { FormProblems } from "../components/form/problems";
import { Failure } from "../domain/failure";
import { findDashboardPath } from "../domain/own-path";
import { isSecretField } from "./form";
import { readBoundedText } from "./request";

/** The reason why nothing was done for a form, as its page shows it. */
interface Reason extends Pick<FormProblems, "form" | "isSignedOut"> {
  readonly status: number;
}

const SIGNED_OUT: Reason = {
  status: 401,
  form: "Your session has ended. Nothing was sent.",
  isSignedOut: true,
};
const UNAVAILABLE: Reason = {
  status: 503,
  form: "The service is not available right now. Nothing was sent. Try again in a moment.",
};

/**
 * Answers a form that a page sent by script after its session ended, or while the service is not available: the page stays,
 * with what was typed. Other requests are answered as usual, also forms with a file and long ones.
 * @param error the error that the page's action threw before it read the form
 * @returns null when the request is none of these forms
 */
export async function keepUnsentForm(error: unknown, request: Request) {
  const { headers, method } = request;
  const reason = findReason(error, request);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  // A browser says so of what a script sends; the address of the request does not tell it.
  const isByScript = headers.get("sec-fetch-dest") === "empty";
  if (!reason || method !== "POST" || !isForm || !isByScript || request.bodyUsed) return null;
  const text = await readBoundedText(request).catch(() => null);
  if (text === null) return null;
  const body = new URLSearchParams(text);
  const names = [...new Set(body.keys())].filter((name) => !isSecretField(name));
  const { status, ...told } = reason;
  const problems: FormProblems = {
    intent: body.get("intent") ?? "",
    ...told,
    fields: {},
    values: Object.fromEntries(names.map((name) => [name, body.get(name) ?? ""])),
    lists: Object.fromEntries(names.map((name) => [name, body.getAll(name)])),
  };
  return data({ problems }, { status });
}

function findReason(error: unknown, { url }: Request): Reason | null {
  if (error instanceof Response && error.headers.get("location") === SIGN_IN_PATH) {
    return SIGNED_OUT;
  }
  if (!(error instanceof Failure) || error.code !== "service_unavailable") return null;
  // The form that signs out is on other pages than the one that takes it.
  return findDashboardPath(new URL(url).pathname) === null ? null : UNAVAILABLE;
}
