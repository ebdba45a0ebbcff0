import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ContractWalletForm } from "../../../components/dashboard/point-systems/contract-wallets";
import { EmbedSnippet } from "../../../components/dashboard/point-systems/embed-snippet";
import { PointSystemFields } from "../../../components/dashboard/point-systems/fields";
import { PointSystemIdentifiers } from "../../../components/dashboard/point-systems/identifiers";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { clearSandbox } from "../../../services/point-systems/clear";
import {
  deletePointSystem,
  getPointSystem,
  updatePointSystem,
} from "../../../services/point-systems/point-systems";
import {
  chooseContractWalletChain,
  getContractWalletChoice,
} from "../../../services/wallet-signatures/contract-wallets";
import { ContractWalletInputs, PointSystemInputs } from "./point-system.inputs.server";

export const meta = titlePage("General");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("settings"));
  return {
    pointSystem: await getPointSystem(member),
    contractWallets: await getContractWalletChoice(member),
    origin: args.context.appOrigin,
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("settings"));
  const path = `/dashboard/${member.pointSystemId}/settings`;
  const forms = {
    "contract-wallets": confirmedForm(args, member.actor, ContractWalletInputs, async (inputs) => {
      await chooseContractWalletChain(member, inputs.chainId);
      return redirectWithNotice(path, "The chain is saved.", args.context);
    }),
    update: form(PointSystemInputs, async (fields) => {
      await updatePointSystem(member, fields);
      return redirectWithNotice(path, "The settings are saved.", args.context);
    }),
    clear: form(z.object({ confirmation: z.string().max(200) }), async ({ confirmation }) => {
      const { name, isDone } = await clearSandbox(member, confirmation);
      const notice = isDone ? `${name} is cleared.` : `${name} is being cleared.`;
      return redirectWithNotice(path, notice, args.context);
    }),
    delete: form(z.object({ confirmation: z.string().max(200) }), async ({ confirmation }) => {
      const { name } = await deletePointSystem(member, confirmation);
      return redirectWithNotice("/dashboard", `${name} is deleted.`, args.context);
    }),
  };
  return takeForms(args, forms);
});

export default function Settings() {
  const { pointSystem, contractWallets, origin } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const isOwner = pointSystem.role === "owner";
  const claimUrl = `${origin}/claim/${pointSystem.slug ?? pointSystem.id}`;
  const publicUrl = pointSystem.slug && `${origin}/l/${pointSystem.slug}`;
  return (
    <>
      <PageHeader title="General" />
      <div className="mt-6 grid max-w-2xl gap-6">
        <Card heading="Identifiers">
          <div className="p-4 sm:p-5">
            <PointSystemIdentifiers pointSystem={pointSystem} />
            {publicUrl && (
              <p className="mt-3 text-sm">
                Public leaderboard:{" "}
                <a className="break-all text-accent underline" href={publicUrl}>
                  {publicUrl}
                </a>
              </p>
            )}
            {!pointSystem.isSandbox && (
              <p className="mt-3 text-sm">
                Claim page:{" "}
                <a className="break-all text-accent underline" href={claimUrl}>
                  {claimUrl}
                </a>
              </p>
            )}
          </div>
        </Card>
        {publicUrl && (
          <Card heading="Embed the leaderboard">
            <div className="p-4 sm:p-5">
              <EmbedSnippet url={publicUrl} name={pointSystem.name} />
            </div>
          </Card>
        )}
        {isOwner ? (
          <>
            <Card heading={pointSystem.isSandbox ? "Name" : "Name and public address"}>
              <div className="p-4 sm:p-5">
                <Form intent="update" problems={problemsOf(answer, "update")} submitLabel="Save">
                  <PointSystemFields
                    problems={problemsOf(answer, "update")}
                    origin={origin}
                    {...pointSystem}
                  />
                </Form>
              </div>
            </Card>
            <Card heading="Contract wallets">
              <div className="p-4 sm:p-5">
                <ContractWalletForm
                  {...contractWallets}
                  problems={problemsOf(answer, "contract-wallets")}
                />
              </div>
            </Card>
            {pointSystem.isSandbox && (
              <Card heading="Clear">
                <div className="space-y-4 p-4 text-sm sm:p-5">
                  <p className="text-ink-muted">
                    {pointSystem.isClearing
                      ? "The sandbox is being cleared. Calls meanwhile may be cleared as well."
                      : "This removes its events, wallets with their notes, blacklist, boards, imports and rewards. Triggers, API keys, webhooks, members and campaigns that are on chain stay."}
                  </p>
                  <ConfirmForm
                    intent="clear"
                    label="Clear the sandbox"
                    heading={`Clear ${pointSystem.name}?`}
                    text="This cannot be undone."
                    requireText={pointSystem.name}
                    confirmLabel="Clear for good"
                    problems={problemsOf(answer, "clear")}
                  />
                </div>
              </Card>
            )}
            <Card heading="Delete">
              <div className="space-y-4 p-4 text-sm sm:p-5">
                <p className="text-ink-muted">
                  This deletes its triggers, wallets, events, rewards and imports for good. API keys
                  stay, without this point system.
                </p>
                <ConfirmForm
                  intent="delete"
                  label="Delete the point system"
                  heading={`Delete ${pointSystem.name}?`}
                  text="This cannot be undone."
                  requireText={pointSystem.name}
                  confirmLabel="Delete for good"
                  problems={problemsOf(answer, "delete")}
                />
              </div>
            </Card>
          </>
        ) : (
          <p className="text-sm text-ink-muted">Only the owner can change these settings.</p>
        )}
      </div>
    </>
  );
}
