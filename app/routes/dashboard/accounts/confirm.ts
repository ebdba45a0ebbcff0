import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerJson } from "../../../http/answers";
import { readStoredSessionId, renewBrowserSession } from "../../../http/browser";
import { requireActor } from "../../../http/member";
import { page } from "../../../http/page";
import { getRelyingParty } from "../../../http/relying-party";
import { checkMethod, readJsonBody } from "../../../http/request";
import { confirmWithPasskey, getPasskeyOptions } from "../../../services/accounts/passkeys";

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireActor(args);
  checkMethod(args.request.method, "POST");
  return null;
});

/** Answers the options for the operator's passkey, and then takes it for the password. */
export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  const party = getRelyingParty(args);
  const body = (await readJsonBody(args.request)) as { response?: unknown } | null;
  if (!body?.response) return answerJson(await getPasskeyOptions(party, actor), args.context);
  await confirmWithPasskey(actor, readStoredSessionId(args), party, body.response);
  await renewBrowserSession(args);
  return new Response(null, { status: 204 });
});
