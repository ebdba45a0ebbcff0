import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { TriggerList } from "../../../components/dashboard/point-systems/trigger-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { ButtonLink } from "../../../components/ui/button-link";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listTriggers, setTriggerActive } from "../../../services/point-systems/triggers";
import { usePointSystem } from "./layout";
import { ListedTriggerStateInputs } from "./trigger.inputs.server";

export const meta = titlePage("Triggers");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("triggers"));
  return { triggers: await listTriggers(member), readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("triggers"));
  return takeForms(args, {
    state: form(ListedTriggerStateInputs, async ({ key, isActive }) => {
      const { name } = await setTriggerActive(member, key, isActive);
      const path = `/dashboard/${member.pointSystemId}/triggers`;
      const text = isActive ? `${name} is active.` : `${name} is inactive. Its calls are rejected.`;
      return redirectWithNotice(path, text, args.context);
    }),
  });
});

export default function Triggers() {
  const { triggers, readAt } = useLoaderData<typeof loader>();
  const canEdit = usePointSystem().role !== "viewer";
  return (
    <>
      <PageHeader
        title="Triggers"
        description="The actions that earn points."
        actions={canEdit && <ButtonLink to="new">New trigger</ButtonLink>}
      />
      <div className="mt-6 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        <TriggerList triggers={triggers} canEdit={canEdit} readAt={readAt} />
      </div>
      {triggers.length > 0 && (
        <p className="mt-3 text-sm text-ink-muted">Counts are a few seconds behind.</p>
      )}
    </>
  );
}
