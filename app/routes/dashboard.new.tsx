import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { PointSystemFields } from "../components/dashboard/point-system-fields";
import { Form } from "../components/form/form";
import { PageHeader } from "../components/ui/page-header";
import { createPointSystem } from "../services/point-systems";
import { takeForm } from "./form.server";
import { requireActor } from "./member.server";
import { redirectWithNotice } from "./notice.server";
import { page } from "./page.server";
import { PointSystemInputs } from "./point-system-inputs.server";

export const meta: MetaFunction = () => [{ title: "New point system · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireActor(args);
  return null;
});

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  return takeForm(args.request, PointSystemInputs, async (fields) => {
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
        description="It holds triggers, wallets and a leaderboard of its own."
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Create the point system">
          <PointSystemFields problems={problems} />
        </Form>
      </div>
    </>
  );
}
