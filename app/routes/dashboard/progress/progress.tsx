import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { StreakList } from "../../../components/dashboard/progress/streak-list";
import { TierFields } from "../../../components/dashboard/progress/tier-fields";
import { TierList } from "../../../components/dashboard/progress/tier-list";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { ButtonLink } from "../../../components/ui/button-link";
import { Card } from "../../../components/ui/card";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listStreaks } from "../../../services/progress/streaks";
import { listTiers, setTiers } from "../../../services/progress/tiers";
import { usePointSystem } from "../point-systems/layout";
import { readTiers, TierInputs } from "./progress.inputs.server";

export const meta = titlePage("Tiers and streaks");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("progress"));
  const [tiers, streaks] = await Promise.all([
    listTiers(pointSystemId),
    listStreaks(pointSystemId),
  ]);
  return { tiers, streaks };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("progress"));
  return takeForm(args, TierInputs, async (inputs) => {
    await setTiers(member, readTiers(inputs));
    const path = `/dashboard/${member.pointSystemId}/progress`;
    return redirectWithNotice(path, "The tiers are saved.", args.context);
  });
});

export default function Progress() {
  const { tiers, streaks } = useLoaderData<typeof loader>();
  const { id, role } = usePointSystem();
  const canEdit = role !== "viewer";
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="Tiers and streaks"
        description="What wallets reach by their points, and by earning on many days in a row."
        actions={
          canEdit && (
            <ButtonLink to={`/dashboard/${id}/streaks/new`} variant="quiet">
              New streak
            </ButtonLink>
          )
        }
      />
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card heading="Tiers">
          <TierList tiers={tiers} />
        </Card>
        {canEdit && (
          <Card heading="Change the tiers">
            <div className="p-4 sm:p-5">
              {/* The key shows what is saved. */}
              <Form key={JSON.stringify(tiers)} problems={problems} submitLabel="Save the tiers">
                <TierFields tiers={tiers} problems={problems} />
              </Form>
            </div>
          </Card>
        )}
        <div className="lg:col-span-2">
          <Card heading="Streaks">
            <StreakList streaks={streaks} base={`/dashboard/${id}`} />
          </Card>
        </div>
      </div>
    </>
  );
}
