import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { BoostFields } from "../../../components/dashboard/point-systems/boost-fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { listTimeZones } from "../../../domain/local-time";
import { takeForm } from "../../../http/form";
import { createFormToken, FormToken } from "../../../http/form-token";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createBoost } from "../../../services/point-systems/boosts";
import { listTriggers } from "../../../services/point-systems/triggers";
import { BOOST_FORM_BYTES_MAX, BoostInputs, readBoost } from "./boost.inputs.server";
import { usePointSystem } from "./layout";

export const meta = titlePage("New boost");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("boosts/new"));
  const triggers = await listTriggers(member);
  return {
    triggers: triggers.map(({ key, name }) => ({ key, name })),
    timeZones: listTimeZones(),
    token: createFormToken(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("boosts/new"));
  return takeForm(
    args,
    BoostInputs.safeExtend({ token: FormToken }),
    async ({ token, ...inputs }) => {
      const id = await createBoost(member, readBoost(inputs), token);
      const path = `/dashboard/${member.pointSystemId}/boosts/${id}`;
      return redirectWithNotice(path, `${inputs.name} is created.`, args.context);
    },
    { bytesMax: BOOST_FORM_BYTES_MAX },
  );
});

export default function NewBoost() {
  const { triggers, timeZones, token } = useLoaderData<typeof loader>();
  const { id } = usePointSystem();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New boost"
        description="It multiplies the points of calls and test fires. Grants and imports stay as they are."
        breadcrumb={[{ label: "Boosts", to: `/dashboard/${id}/boosts` }]}
      />
      <div className="mt-6 max-w-lg">
        <Form
          fields={{ token: problems?.values.token ?? token }}
          problems={problems}
          submitLabel="Create the boost"
        >
          <BoostFields problems={problems} triggers={triggers} timeZones={timeZones} />
        </Form>
      </div>
    </>
  );
}
