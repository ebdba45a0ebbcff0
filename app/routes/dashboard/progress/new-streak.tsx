import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { NewStreakFields } from "../../../components/dashboard/progress/streak-fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { listTimeZones } from "../../../domain/local-time";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listTriggers } from "../../../services/point-systems/triggers";
import { createStreak } from "../../../services/progress/streaks";
import { usePointSystem } from "../point-systems/layout";
import { NewStreakInputs, readNewStreak } from "./progress.inputs.server";

export const meta = titlePage("New streak");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("streaks/new"));
  const triggers = await listTriggers(member);
  return {
    triggers: triggers.map(({ key, name, points }) => ({ key, name, points })),
    timeZones: listTimeZones(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("streaks/new"));
  return takeForm(
    args,
    NewStreakInputs,
    async (inputs) => {
      const streak = readNewStreak(inputs);
      await createStreak(member, streak);
      const path = `/dashboard/${member.pointSystemId}/streaks/${streak.key}`;
      return redirectWithNotice(path, `${streak.name} is created.`, args.context);
    },
    { bytesMax: 128 * 1024 },
  );
});

export default function NewStreak() {
  const { triggers, timeZones } = useLoaderData<typeof loader>();
  const { id } = usePointSystem();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New streak"
        description="Days that wallets have already count. Bonuses are paid for lengths that they reach from now on."
        breadcrumb={[{ label: "Tiers and streaks", to: `/dashboard/${id}/progress` }]}
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Create the streak">
          <NewStreakFields problems={problems} triggers={triggers} timeZones={timeZones} />
        </Form>
      </div>
    </>
  );
}
