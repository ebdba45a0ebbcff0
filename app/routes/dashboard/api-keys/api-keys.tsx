import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { ColleagueKeyList } from "../../../components/dashboard/api-keys/colleague-keys";
import { CreatedApiKey } from "../../../components/dashboard/api-keys/created";
import { ApiKeyFields } from "../../../components/dashboard/api-keys/fields";
import { ApiKeyList } from "../../../components/dashboard/api-keys/list";
import { FirstEvent } from "../../../components/dashboard/insights/first-event";
import { TriggerSnippet } from "../../../components/dashboard/point-systems/trigger-snippet";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, takeForms } from "../../../http/form";
import { requireActor } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createApiKey, deleteApiKey, listApiKeys } from "../../../services/api-keys/api-keys";
import { listColleagueKeys, removeColleagueKey } from "../../../services/api-keys/colleague-keys";
import { findFirstCall } from "../../../services/insights/first-call";
import { listPointSystems } from "../../../services/point-systems/point-systems";
import {
  API_KEY_FORM_BYTES_MAX,
  ApiKeyDeletionInputs,
  NewApiKeyInputs,
} from "./api-keys.inputs.server";

export const meta = titlePage("Integration");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { operatorId } = await requireActor(args);
  const [keys, colleagueKeys, pointSystems] = await Promise.all([
    listApiKeys(operatorId),
    listColleagueKeys(operatorId),
    listPointSystems(operatorId),
  ]);
  return {
    keys,
    colleagueKeys,
    pointSystems: pointSystems
      .filter(({ role }) => role !== "viewer")
      .map(({ id, name, isSandbox }) => ({ id, name, isSandbox })),
    chosenId: new URL(args.request.url).searchParams.get("for"),
    // A form makes at most one key, however often it is sent.
    formId: crypto.randomUUID(),
    readAt: Date.now(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  const origin = args.context.appOrigin;
  const forms = {
    create: confirmedForm(
      args,
      actor,
      NewApiKeyInputs,
      async ({ pointSystems, expires, ...fields }) => {
        const { token } = await createApiKey(actor, {
          ...fields,
          pointSystemIds: pointSystems,
          expiresAt: expires,
        });
        // The token is in the answer itself, which no cache keeps. A redirect would carry it through
        // a cookie.
        const firstCall =
          fields.permission === "trigger" || fields.permission === "all"
            ? await findFirstCall(actor, pointSystems)
            : null;
        return { created: { name: fields.name, token }, firstCall, origin };
      },
    ),
    delete: form(ApiKeyDeletionInputs, async ({ id }) => {
      const { name } = await deleteApiKey(actor, id);
      return redirectWithNotice("/dashboard/api-keys", `${name} is deleted.`, args.context);
    }),
    remove: form(ApiKeyDeletionInputs, async ({ id }) => {
      const { name } = await removeColleagueKey(actor, id);
      return redirectWithNotice("/dashboard/api-keys", `${name} is removed.`, args.context);
    }),
  };
  return takeForms(args, forms, { bytesMax: API_KEY_FORM_BYTES_MAX });
});

/**
 * Revalidates after a refusal as well: an earlier post of the refused form may have made its key.
 */
export const shouldRevalidate = () => true;

export default function ApiKeys() {
  const { keys, colleagueKeys, pointSystems, chosenId, formId, readAt } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const created = answer && "created" in answer ? answer.created : undefined;
  const refused = answer && "problems" in answer ? answer : undefined;
  const problems = problemsOf(refused, "create");
  const managing = keys.filter(({ permission }) => permission === "manage");
  return (
    <>
      <PageHeader
        breadcrumb={[{ label: "Account", to: "/dashboard/account" }]}
        title="Integration"
        description="Your applications call the API with these keys."
        actions={
          <Link to="/docs" className={getButtonClass("quiet")}>
            API reference
          </Link>
        }
      />
      <div className="mt-6 grid gap-6">
        {created && (
          <Card heading="Your new key">
            <CreatedApiKey {...created}>
              {answer && "firstCall" in answer && answer.firstCall && (
                <section className="mt-6 rounded-lg border border-line">
                  <h3 className="border-b border-line px-4 py-3 font-medium">
                    Make the first call
                  </h3>
                  <TriggerSnippet
                    origin={answer.origin}
                    token={created.token}
                    {...answer.firstCall}
                  />
                  <div className="border-t border-line px-4 py-3">
                    <FirstEvent pointSystemId={answer.firstCall.pointSystemId} />
                  </div>
                </section>
              )}
            </CreatedApiKey>
          </Card>
        )}
        <Card heading="Your keys" aside="The last use is up to a few seconds behind">
          <ApiKeyList
            label="API keys"
            keys={keys.filter(({ permission }) => permission !== "manage")}
            readAt={readAt}
            problems={problemsOf(refused, "delete")}
            hasColleagueKeys={colleagueKeys.length > 0}
          />
        </Card>
        {managing.length > 0 && (
          <Card heading="Keys that manage" aside="Keep them as safe as your password">
            <ApiKeyList
              label="API keys that manage"
              keys={managing}
              readAt={readAt}
              problems={problemsOf(refused, "delete")}
            />
          </Card>
        )}
        {colleagueKeys.length > 0 && (
          <Card
            heading="Keys of other members"
            aside="For point systems that you share. Owners can remove them"
          >
            <ColleagueKeyList
              keys={colleagueKeys}
              readAt={readAt}
              problems={problemsOf(refused, "remove")}
            />
          </Card>
        )}
        {!created && (
          <Card heading="New key">
            {pointSystems.length === 0 ? (
              <EmptyState heading="There is no point system to choose">
                <Link to="/dashboard/new" className="text-accent underline">
                  Create a point system
                </Link>{" "}
                first, or ask to become an editor of one.
              </EmptyState>
            ) : (
              <div className="max-w-lg p-4 sm:p-5">
                <Form
                  intent="create"
                  fields={{ id: formId }}
                  problems={problems}
                  submitLabel="Create the key"
                >
                  <ApiKeyFields
                    problems={problems}
                    pointSystems={pointSystems}
                    chosenId={chosenId}
                    today={new Date(readAt).toISOString().slice(0, 10)}
                  />
                </Form>
              </div>
            )}
          </Card>
        )}
      </div>
    </>
  );
}
