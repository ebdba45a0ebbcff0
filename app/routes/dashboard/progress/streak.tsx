import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { StreakFields } from "../../../components/dashboard/progress/streak-fields";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { Count } from "../../../components/ui/local";
import { ActionMenu } from "../../../components/ui/menu";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listTriggers } from "../../../services/point-systems/triggers";
import {
  BONUSES_COUNTED_MAX,
  countBonuses,
  deleteStreak,
  getStreak,
  updateStreak,
} from "../../../services/progress/streaks";
import { usePointSystem } from "../point-systems/layout";
import { readStreakChange, StreakInputs } from "./progress.inputs.server";

export const meta = titlePage<{ streak: { name: string } }>(
  (data) => data?.streak.name ?? "Streak",
);

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("streaks/:streakKey"));
  const streak = await getStreak(member.pointSystemId, args.params.streakKey ?? "");
  const [counts, triggers] = await Promise.all([
    countBonuses(member.pointSystemId, streak.id),
    listTriggers(member),
  ]);
  return {
    streak,
    counts,
    countedMax: BONUSES_COUNTED_MAX,
    triggers: triggers.map(({ key, name, points }) => ({ key, name, points })),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("streaks/:streakKey"));
  const key = args.params.streakKey ?? "";
  const base = `/dashboard/${member.pointSystemId}`;
  return takeForms(args, {
    update: form(StreakInputs, async (inputs) => {
      await updateStreak(member, key, readStreakChange(inputs));
      return redirectWithNotice(`${base}/streaks/${key}`, "The streak is saved.", args.context);
    }),
    delete: form(z.object({}), async () => {
      await deleteStreak(member, key);
      return redirectWithNotice(`${base}/progress`, "The streak is deleted.", args.context);
    }),
  });
});

export default function Streak() {
  const { streak, counts, countedMax, triggers } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id, role } = usePointSystem();
  const canEdit = role !== "viewer";
  const problems = problemsOf(answer, "update");
  const deletion = problemsOf(answer, "delete");
  return (
    <>
      <PageHeader
        title={streak.name}
        breadcrumb={[{ label: "Tiers and streaks", to: `/dashboard/${id}/progress` }]}
        description={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <code className="text-[0.8125rem]">{streak.key}</code>
            <span>{streak.timeZone}</span>
            <span className="break-words">{streak.triggerKeys?.join(", ") ?? "All triggers"}</span>
          </span>
        }
        actions={
          canEdit && (
            <ActionMenu id="streak-actions" label="More actions" hasProblems={Boolean(deletion)}>
              <ConfirmForm
                intent="delete"
                isInMenu
                label="Delete the streak"
                heading={`Delete ${streak.name}?`}
                text="The days in a row of all wallets are deleted. Bonuses that were paid stay."
                confirmLabel="Delete the streak"
                problems={deletion}
              />
            </ActionMenu>
          )
        }
      />
      <div className="mt-6 grid gap-6">
        <Card heading="Bonuses">
          <div className="grid gap-2 p-4 text-sm sm:p-5">
            {streak.bonuses.length === 0 && <p className="text-ink-muted">It pays no bonuses.</p>}
            {streak.bonuses.map(({ days, triggerKey }) => (
              <p key={days}>
                <Count value={days} /> days in a row: <code>{triggerKey}</code>
              </p>
            ))}
            {counts ? (
              <p className="text-ink-muted">
                <Count value={counts.paid} /> paid, <Count value={counts.due} /> due,{" "}
                <Count value={counts.withheld} /> not paid
                {counts.withheld > 0 &&
                  ": the wallet was blacklisted or at its limit, or the trigger was off"}
                .
              </p>
            ) : (
              <p className="text-ink-muted">
                Wallets reached more than <Count value={countedMax} /> bonuses.
              </p>
            )}
          </div>
        </Card>
        {canEdit && (
          <Card heading="Change the streak">
            <div className="max-w-lg p-4 sm:p-5">
              <Form
                key={JSON.stringify(streak)}
                intent="update"
                problems={problems}
                submitLabel="Save"
              >
                <StreakFields
                  problems={problems}
                  name={streak.name}
                  bonuses={streak.bonuses}
                  triggers={triggers}
                />
              </Form>
            </div>
          </Card>
        )}
      </div>
    </>
  );
}
