import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { BoostFields } from "../../../components/dashboard/point-systems/boost-fields";
import { BoostState } from "../../../components/dashboard/point-systems/boost-state";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { Fact } from "../../../components/ui/fact";
import { Count, Decimal } from "../../../components/ui/local";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { formatLocalTime, keepMoment, listTimeZones } from "../../../domain/local-time";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { findBoostWallets, getBoost } from "../../../services/point-systems/boost-list";
import { deleteBoost, endBoost, updateBoost } from "../../../services/point-systems/boosts";
import { listTriggers } from "../../../services/point-systems/triggers";
import { BOOST_FORM_BYTES_MAX, BoostInputs, readBoost } from "./boost.inputs.server";
import { usePointSystem } from "./layout";

export const meta = titlePage<{ boost: { name: string } }>((data) => data?.boost.name ?? "Boost");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("boosts/:boostId"));
  const boost = await getBoost(member.pointSystemId, args.params.boostId ?? "");
  const [wallets, triggers] = await Promise.all([
    boost.walletCount === null ? null : findBoostWallets(member.pointSystemId, boost.id),
    listTriggers(member),
  ]);
  const known = triggers.map(({ key, name }) => ({ key, name }));
  const keys = new Set(known.map(({ key }) => key));
  const deleted = boost.triggerKeys?.filter((key) => !keys.has(key)) ?? [];
  return {
    boost,
    values: {
      name: boost.name,
      factor: String(boost.factor),
      startsAt: formatLocalTime(boost.startsAt, boost.timeZone),
      endsAt: formatLocalTime(boost.endsAt, boost.timeZone),
      timeZone: boost.timeZone,
      triggerKeys: boost.triggerKeys,
      wallets,
    },
    triggers: [...known, ...deleted.map((key) => ({ key, name: `${key} (deleted)` }))],
    timeZones: listTimeZones(boost.timeZone),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("boosts/:boostId"));
  const id = args.params.boostId ?? "";
  const boosts = `/dashboard/${member.pointSystemId}/boosts`;
  const tell = (text: string, to = `${boosts}/${id}`) => redirectWithNotice(to, text, args.context);
  const forms = {
    update: form(BoostInputs, async (inputs) => {
      const before = await getBoost(member.pointSystemId, id);
      const { startsAt, endsAt, ...fields } = readBoost(inputs);
      const keep = (text: string, known: Date, time: Date) =>
        keepMoment(known, time, text, inputs.timeZone);
      await updateBoost(member, id, {
        ...fields,
        startsAt: startsAt === null ? undefined : keep(inputs.startsAt, before.startsAt, startsAt),
        endsAt: keep(inputs.endsAt, before.endsAt, endsAt),
      });
      return tell("The boost is saved.");
    }),
    end: form(z.object({}), async () => {
      await endBoost(member, id);
      return tell("The boost has ended.");
    }),
    delete: form(z.object({}), async () => {
      await deleteBoost(member, id);
      return tell("The boost is deleted.", boosts);
    }),
  };
  return takeForms(args, forms, { bytesMax: BOOST_FORM_BYTES_MAX });
});

export default function BoostPage() {
  const { boost, values, triggers, timeZones } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const canEdit = role !== "viewer" && boost.state !== "ended";
  const [problems, ending, deletion] = ["update", "end", "delete"].map((intent) =>
    problemsOf(answer, intent),
  );
  return (
    <>
      <PageHeader
        title={boost.name}
        breadcrumb={[{ label: "Boosts", to: `/dashboard/${pointSystemId}/boosts` }]}
        description={<BoostState state={boost.state} />}
        actions={
          canEdit &&
          (boost.state === "running" ? (
            <ConfirmForm
              intent="end"
              label="End the boost"
              heading={`End ${boost.name} now?`}
              text="Credits from now on are not boosted. What was credited stays. It cannot be started again."
              confirmLabel="End it now"
              problems={ending}
            />
          ) : (
            <ConfirmForm
              intent="delete"
              label="Delete the boost"
              heading={`Delete ${boost.name}?`}
              text="It has not started, so no points depend on it."
              confirmLabel="Delete the boost"
              problems={deletion}
            />
          ))
        }
      />
      <div className="mt-6 grid max-w-3xl gap-6">
        <Card heading="Boost">
          <dl className="grid gap-4 p-4 text-sm sm:grid-cols-2 sm:p-5">
            <Fact label="Factor">
              × <Decimal value={String(boost.factor)} />
            </Fact>
            <Fact label="Time zone">{boost.timeZone}</Fact>
            <Fact label="Start">{values.startsAt.replace("T", " ")}</Fact>
            <Fact label="End">{values.endsAt.replace("T", " ")}</Fact>
            <Fact label="Triggers">{boost.triggerKeys?.join(", ") ?? "All triggers"}</Fact>
            <Fact label="Wallets">
              {boost.walletCount === null ? "Every wallet" : <Count value={boost.walletCount} />}
            </Fact>
          </dl>
        </Card>
        {canEdit && (
          <Card heading="Change the boost">
            <div className="max-w-lg p-4 sm:p-5">
              <Form intent="update" problems={problems} submitLabel="Save">
                {boost.state === "running" && (
                  <p className="text-sm text-ink-muted">
                    Changes hold for credits from now on. What was credited stays as it is.
                  </p>
                )}
                <BoostFields
                  problems={problems}
                  boost={values}
                  hasStarted={boost.state === "running"}
                  triggers={triggers}
                  timeZones={timeZones}
                />
              </Form>
            </div>
          </Card>
        )}
      </div>
    </>
  );
}
