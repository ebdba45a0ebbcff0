import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AuthenticatorCard } from "../../../components/dashboard/accounts/authenticator-card";
import { PasskeyCard } from "../../../components/dashboard/accounts/passkey-card";
import { RecoveryCard } from "../../../components/dashboard/accounts/recovery-card";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Alert } from "../../../components/ui/alert";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, takeForms } from "../../../http/form";
import { requireActor } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getRelyingParty } from "../../../http/relying-party";
import {
  beginAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
} from "../../../services/accounts/authenticator";
import {
  isFactorRequired,
  readOwnFactors,
  renewRecoveryCodes,
} from "../../../services/accounts/factors";
import {
  addPasskey,
  getRegistrationOptions,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from "../../../services/accounts/passkeys";
import { NameInput } from "../../accounts/account.inputs.server";

export const meta = titlePage("Security");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const actor = await requireActor(args);
  return {
    passkeys: await listPasskeys(actor),
    factors: await readOwnFactors(actor),
    isRequired: await isFactorRequired(),
    readAt: Date.now(),
  };
});

const PasskeyName = NameInput.max(60, "Use at most 60 characters");
const PasskeyChoice = z.object({ passkeyId: z.string().max(64) });
const RESPONSE_LENGTH_MAX = 10_000;

const Response = z
  .string()
  .max(RESPONSE_LENGTH_MAX)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "Try again" });
      return z.NEVER;
    }
  });

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  const answer = (text: string) => redirectWithNotice("/dashboard/security", text, args.context);
  return takeForms(args, {
    "begin-passkey": confirmedForm(
      args,
      actor,
      z.object({ name: PasskeyName }),
      async ({ name }) => ({
        registration: { name, options: await getRegistrationOptions(actor, getRelyingParty(args)) },
      }),
    ),
    "add-passkey": form(
      z.object({ name: PasskeyName, response: Response }),
      async ({ name, response }) => {
        const codes = await addPasskey(actor, getRelyingParty(args), response, name);
        return codes ? { codes } : answer("The passkey is added.");
      },
    ),
    "rename-passkey": form(
      PasskeyChoice.extend({ name: PasskeyName }),
      async ({ passkeyId, name }) => {
        await renamePasskey(actor, passkeyId, name);
        return answer("The name is saved.");
      },
    ),
    "remove-passkey": confirmedForm(args, actor, PasskeyChoice, async ({ passkeyId }) => {
      await removePasskey(actor, passkeyId);
      return answer("The passkey is removed.");
    }),
    "begin-app": confirmedForm(args, actor, z.object({}), async () => ({
      app: await beginAuthenticator(actor),
    })),
    "confirm-app": form(
      // The secret comes back with a wrong code, to be shown again; it is not read.
      z.object({
        code: z.string().trim().min(1, "Enter the app’s code").max(20, "This is too long"),
        secret: z.string().max(64),
        uri: z.string().max(1_000),
      }),
      async ({ code }) => {
        const codes = await confirmAuthenticator(actor, code);
        return codes ? { codes } : answer("The authenticator app is set up.");
      },
    ),
    "remove-app": confirmedForm(args, actor, z.object({}), async () => {
      await removeAuthenticator(actor);
      return answer("The authenticator app is removed.");
    }),
    codes: confirmedForm(args, actor, z.object({}), async () => ({
      codes: await renewRecoveryCodes(actor),
    })),
  });
});

export default function Security() {
  const { passkeys, factors, isRequired, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const hasFactor = passkeys.length > 0 || factors.hasAuthenticator;
  const codes = answer && "codes" in answer ? answer.codes : null;
  return (
    <>
      <PageHeader title="Security" description="How you sign in." />
      <div className="mt-6 grid max-w-2xl gap-6">
        {isRequired && !hasFactor && (
          <Alert>This service requires a second factor. Add a passkey or an app to go on.</Alert>
        )}
        {hasFactor && <RecoveryCard left={factors.recoveryCodes} codes={codes} answer={answer} />}
        <PasskeyCard
          passkeys={passkeys}
          registration={answer && "registration" in answer ? answer.registration : null}
          answer={answer}
          readAt={readAt}
        />
        <AuthenticatorCard
          hasAuthenticator={factors.hasAuthenticator}
          app={answer && "app" in answer ? answer.app : null}
          answer={answer}
        />
      </div>
    </>
  );
}
