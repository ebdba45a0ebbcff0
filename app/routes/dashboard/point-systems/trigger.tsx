import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { TriggerCalls } from "../../../components/dashboard/point-systems/trigger-calls";
import { TriggerEditor } from "../../../components/dashboard/point-systems/trigger-editor";
import { TriggerFacts } from "../../../components/dashboard/point-systems/trigger-facts";
import { TriggerState } from "../../../components/dashboard/point-systems/trigger-list";
import { TriggerUse } from "../../../components/dashboard/point-systems/trigger-use";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { listTimeZones } from "../../../domain/local-time";
import { form, takeForms } from "../../../http/form";
import { createFormToken } from "../../../http/form-token";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listFeed } from "../../../services/activity/feed";
import { listTriggerDays } from "../../../services/insights/trigger-days";
import { testFireTrigger } from "../../../services/point-systems/test-fire";
import {
  deleteTrigger,
  getTrigger,
  setTriggerActive,
  updateTrigger,
} from "../../../services/point-systems/triggers";
import { usePointSystem } from "./layout";
import {
  TestFireInputs,
  TriggerInputs,
  TriggerStateInputs,
  toTriggerFields,
} from "./trigger.inputs.server";

const ANY_EVENT = { address: null, firstDay: null, lastDay: null };
/** The events that the page shows; the activity shows all. */
const LATEST_EVENTS = 5;

export const meta = titlePage<{ trigger: { name: string } }>(
  (data) => data?.trigger.name ?? "Trigger",
);

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("triggers/:triggerKey"));
  const trigger = await getTrigger(member, args.params.triggerKey ?? "");
  const [days, { events }] = await Promise.all([
    listTriggerDays(member, trigger.key),
    listFeed(member, { ...ANY_EVENT, trigger: { key: trigger.key } }, null),
  ]);
  const language = new URL(args.request.url).searchParams.get("call");
  return {
    ...{ trigger, days, language },
    latestEvents: events.slice(0, LATEST_EVENTS),
    origin: args.context.appOrigin,
    token: createFormToken(),
    timeZones: listTimeZones(trigger.cap?.timeZone),
    readAt: Date.now(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("triggers/:triggerKey"));
  const key = args.params.triggerKey ?? "";
  const list = `/dashboard/${member.pointSystemId}/triggers`;
  const path = `${list}/${encodeURIComponent(key)}`;
  return takeForms(args, {
    update: form(TriggerInputs, async (inputs) => {
      await updateTrigger(member, key, toTriggerFields(inputs));
      return redirectWithNotice(path, "The trigger is saved.", args.context);
    }),
    state: form(TriggerStateInputs, async ({ isActive }) => {
      const { name } = await setTriggerActive(member, key, isActive);
      const text = isActive ? `${name} is active.` : `${name} is inactive. Its calls are rejected.`;
      return redirectWithNotice(path, text, args.context);
    }),
    test: form(TestFireInputs, async ({ address: { address, doubt }, token }) => {
      const { points } = await testFireTrigger(member, key, address, token);
      const text = `${points} ${points === 1 ? "point" : "points"} credited to ${address}.`;
      return redirectWithNotice(path, doubt ? `${text} ${doubt}` : text, args.context);
    }),
    delete: form(z.object({}), async () => {
      const { name } = await deleteTrigger(member, key);
      return redirectWithNotice(list, `${name} is deleted.`, args.context);
    }),
  });
});

export default function TriggerPage() {
  const { trigger, days, latestEvents, language, origin, token, timeZones, readAt } =
    useLoaderData<typeof loader>();
  const { id, role } = usePointSystem();
  const answer = useActionData<typeof action>();
  return (
    <>
      <PageHeader
        title={trigger.name}
        description={<TriggerState isActive={trigger.isActive} />}
        breadcrumb={[{ label: "Triggers", to: `/dashboard/${id}/triggers` }]}
      />
      <div className="mt-6 grid items-start gap-6 xl:grid-cols-2">
        <div className="grid min-w-0 gap-6">
          <TriggerFacts trigger={trigger} readAt={readAt} />
          <TriggerUse
            pointSystemId={id}
            triggerKey={trigger.key}
            days={days}
            latestEvents={latestEvents}
            now={readAt}
          />
          <TriggerCalls
            origin={origin}
            pointSystemId={id}
            triggerKey={trigger.key}
            points={trigger.variable && trigger.points}
            language={language}
            isUnused={trigger.fires === 0}
          />
        </div>
        {role !== "viewer" && (
          <TriggerEditor
            key={trigger.key}
            trigger={trigger}
            token={token}
            timeZones={timeZones}
            answer={answer}
          />
        )}
      </div>
    </>
  );
}
