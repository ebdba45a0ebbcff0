import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerJson } from "../../http/answers";
import { enterBrowser, readOrigin } from "../../http/browser";
import { page } from "../../http/page";
import { getRelyingParty } from "../../http/relying-party";
import { checkMethod, readJsonBody } from "../../http/request";
import { getPasskeyOptions, signInWithPasskey } from "../../services/accounts/passkeys";

export const loader = page(async ({ request }: LoaderFunctionArgs) => {
  checkMethod(request.method, "POST");
  return null;
});

/** Answers the options for a passkey, and then takes it and signs in. */
export const action = page(async (args: ActionFunctionArgs) => {
  const party = getRelyingParty(args);
  const body = (await readJsonBody(args.request)) as { response?: unknown } | null;
  if (!body?.response) return answerJson(await getPasskeyOptions(party, null), args.context);
  const operator = await signInWithPasskey(party, body.response, readOrigin(args));
  const headers = new Headers();
  for (const cookie of await enterBrowser(args, operator)) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 204, headers });
});
