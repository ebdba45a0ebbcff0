import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { PointSystemFields } from "../../../components/dashboard/point-systems/fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { takeForm } from "../../../http/form";
import { requireActor } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createPointSystem } from "../../../services/point-systems/point-systems";
import { PointSystemInputs } from "./point-system.inputs.server";

export const meta: MetaFunction = () => [{ title: "New point system · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireActor(args);
  return null;
});

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  return takeForm(args, PointSystemInputs, async (fields) => {
    const { id } = await createPointSystem(actor, fields);
    return redirectWithNotice(`/dashboard/${id}`, `${fields.name} is ready.`, args.context);
  });
});

export default function NewPointSystem() {
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New point system"
        description="It has its own triggers, wallets and leaderboard."
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Create the point system">
          <PointSystemFields problems={problems} />
        </Form>
      </div>
    </>
  );
}
