import { data } from "@remix-run/node";
import { SIGN_IN_PATH } from "../auth/wanted-page";
import type { FormProblems } from "../components/form/problems";
import { isSecretField } from "./form";
import { readBoundedText } from "./request";

const SESSION_ENDED = "Your session has ended. Nothing was sent.";

/**
 * Answers a form that a page sent by script after its session ended: the page stays, with what was typed. Other requests go
 * to the sign-in page, also forms with a file and long ones.
 * @param refusal the error that the page's action threw
 * @returns null when the request is none of these forms
 */
export async function keepSignedOutForm(refusal: unknown, request: Request) {
  const { headers, method } = request;
  const isSignedOut =
    refusal instanceof Response && refusal.headers.get("location") === SIGN_IN_PATH;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  // A browser says so of what a script sends; the address of the request does not tell it.
  const isByScript = headers.get("sec-fetch-dest") === "empty";
  if (!isSignedOut || method !== "POST" || !isForm || !isByScript || request.bodyUsed) return null;
  const text = await readBoundedText(request).catch(() => null);
  if (text === null) return null;
  const body = new URLSearchParams(text);
  const names = [...new Set(body.keys())].filter((name) => !isSecretField(name));
  const problems: FormProblems = {
    intent: body.get("intent") ?? "",
    form: SESSION_ENDED,
    isSignedOut: true,
    fields: {},
    values: Object.fromEntries(names.map((name) => [name, body.get(name) ?? ""])),
    lists: Object.fromEntries(names.map((name) => [name, body.getAll(name)])),
  };
  return data({ problems }, { status: 401 });
}
