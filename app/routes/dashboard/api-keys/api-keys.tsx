import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { CreatedApiKey } from "../../../components/dashboard/api-keys/created";
import { ApiKeyFields } from "../../../components/dashboard/api-keys/fields";
import { ApiKeyList } from "../../../components/dashboard/api-keys/list";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { form, takeForms } from "../../../http/form";
import { requireActor } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createApiKey, deleteApiKey, listApiKeys } from "../../../services/api-keys/api-keys";
import { listPointSystems } from "../../../services/point-systems/point-systems";
import { ApiKeyDeletionInputs, NewApiKeyInputs } from "./api-keys.inputs.server";

export const meta: MetaFunction = () => [{ title: "API keys · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { operatorId } = await requireActor(args);
  const [keys, pointSystems] = await Promise.all([
    listApiKeys(operatorId),
    listPointSystems(operatorId),
  ]);
  return {
    keys,
    pointSystems: pointSystems
      .filter(({ role }) => role !== "viewer")
      .map(({ id, name }) => ({ id, name })),
    // A form makes at most one key, however often it is sent.
    formId: crypto.randomUUID(),
    readAt: Date.now(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  return takeForms(args, {
    create: form(NewApiKeyInputs, async ({ pointSystems, expires, ...fields }) => {
      const { token } = await createApiKey(actor, {
        ...fields,
        pointSystemIds: pointSystems,
        expiresAt: expires,
      });
      // The token is in the answer itself, which no cache keeps. A redirect would carry it through
      // a cookie.
      return { created: { name: fields.name, token } };
    }),
    delete: form(ApiKeyDeletionInputs, async ({ id }) => {
      const { name } = await deleteApiKey(actor, id);
      return redirectWithNotice("/dashboard/api-keys", `${name} is deleted.`, args.context);
    }),
  });
});

/**
 * Revalidates after a refusal as well: an earlier post of the refused form may have made its key.
 */
export const shouldRevalidate = () => true;

export default function ApiKeys() {
  const { keys, pointSystems, formId, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const created = answer && "created" in answer ? answer.created : undefined;
  const refused = answer && "problems" in answer ? answer : undefined;
  const problems = problemsOf(refused, "create");
  return (
    <>
      <PageHeader
        title="API keys"
        description="The keys with which your applications call the API."
      />
      <div className="mt-6 grid gap-6">
        {created && (
          <Card heading="Your new key">
            <CreatedApiKey {...created} />
          </Card>
        )}
        <Card heading="Your keys" aside="Last use is a few seconds behind">
          <ApiKeyList keys={keys} readAt={readAt} problems={problemsOf(refused, "delete")} />
        </Card>
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
