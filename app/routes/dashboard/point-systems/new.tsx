import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { PointSystemFields } from "../../../components/dashboard/point-systems/fields";
import { Form } from "../../../components/form/form";
import { fieldOf } from "../../../components/form/problems";
import { RadioGroup } from "../../../components/form/radio-group";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { takeForm } from "../../../http/form";
import { createFormToken } from "../../../http/form-token";
import { requireActor } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createPointSystem } from "../../../services/point-systems/point-systems";
import { NewPointSystemInputs } from "./point-system.inputs.server";

const KINDS = [
  { value: "live", label: "Live" },
  { value: "sandbox", label: "Sandbox, for tests: no public pages, test networks only" },
];

export const meta = titlePage("New point system");

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireActor(args);
  return { origin: args.context.appOrigin, token: createFormToken() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  return takeForm(args, NewPointSystemInputs, async ({ kind, token, ...fields }) => {
    const isSandbox = kind === "sandbox";
    const { id } = await createPointSystem(actor, { ...fields, isSandbox }, token);
    return redirectWithNotice(`/dashboard/${id}`, `${fields.name} is ready.`, args.context);
  });
});

export default function NewPointSystem() {
  const { origin, token } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New point system"
        description="It has its own triggers, wallets and leaderboard."
      />
      <div className="mt-6 max-w-lg">
        <Form
          fields={{ token: problems?.values.token ?? token }}
          problems={problems}
          submitLabel="Create the point system"
        >
          <PointSystemFields problems={problems} origin={origin} />
          <RadioGroup
            label="Kind"
            {...fieldOf(problems, "kind", "live")}
            hint="It cannot be changed later."
            options={KINDS}
          />
        </Form>
      </div>
    </>
  );
}
