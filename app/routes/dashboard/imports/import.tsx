import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { CommitImport } from "../../../components/dashboard/imports/commit-import";
import { ImportDryRun } from "../../../components/dashboard/imports/dry-run";
import { ImportLayoutForm } from "../../../components/dashboard/imports/layout";
import { ImportProgress } from "../../../components/dashboard/imports/progress";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { usePolling } from "../../../components/hooks/use-polling";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getImport } from "../../../services/imports/imports";
import { previewImport } from "../../../services/imports/preview";
import {
  commitImport,
  deleteImport,
  retryImport,
  undoImport,
  updateImportLayout,
} from "../../../services/imports/steps";
import { usePointSystem } from "../point-systems/layout";
import { CommitInputs, LayoutInputs } from "./import.inputs.server";

export const meta = titlePage("Import");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("imports/:importId"));
  const { importId = "" } = args.params;
  const { status, ...summary } = await getImport(member, importId);
  const state =
    status === "draft"
      ? { status, preview: await previewImport(member, importId) }
      : { status, preview: null };
  return { summary, state, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("imports/:importId"));
  const { importId = "" } = args.params;
  const list = `/dashboard/${member.pointSystemId}/imports`;
  const here = `${list}/${importId}`;
  return takeForms(args, {
    layout: form(LayoutInputs, async (layout) => {
      await updateImportLayout(member, importId, layout);
      return redirectWithNotice(here, "The preview is updated.", args.context);
    }),
    commit: form(CommitInputs, async (commit) => {
      const { fileName } = await commitImport(member, importId, commit);
      return redirectWithNotice(here, `${fileName} is being credited.`, args.context);
    }),
    undo: form(z.object({}), async () => {
      const { fileName } = await undoImport(member, importId);
      return redirectWithNotice(here, `${fileName} is being undone.`, args.context);
    }),
    retry: form(z.object({}), async () => {
      const { fileName } = await retryImport(member, importId);
      return redirectWithNotice(here, `${fileName} is resumed.`, args.context);
    }),
    delete: form(z.object({}), async () => {
      const { fileName } = await deleteImport(member, importId);
      return redirectWithNotice(list, `${fileName} is discarded.`, args.context);
    }),
  });
});

/** Revalidates after a refusal as well: the page then shows the preview that it was refused for. */
export const shouldRevalidate = () => true;

export default function Import() {
  const { summary, state, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const { fileName, failure } = summary;
  const { status, preview } = state;
  const canImport = role !== "viewer";
  const base = `/dashboard/${pointSystemId}`;
  usePolling((status === "committing" || status === "undoing") && failure === null);
  const canCommit =
    preview && preview.wallets > 0 && preview.unreadableFrom === null && !preview.hasTooManyRows;
  return (
    <>
      <PageHeader
        title={fileName}
        breadcrumb={[{ label: "Import", to: `${base}/imports` }]}
        actions={
          canImport && (
            <>
              {canCommit && (
                <CommitImport
                  fileName={fileName}
                  {...preview}
                  problems={problemsOf(answer, "commit")}
                />
              )}
              {preview && (
                <ConfirmForm
                  intent="delete"
                  label="Discard"
                  heading={`Discard ${fileName}?`}
                  text="The uploaded file is deleted. Nothing was credited."
                  confirmLabel="Discard the import"
                  problems={problemsOf(answer, "delete")}
                />
              )}
              {failure !== null && (
                <Form
                  intent="retry"
                  submitLabel="Try again"
                  problems={problemsOf(answer, "retry")}
                />
              )}
              {(status === "committing" || status === "committed") && (
                <ConfirmForm
                  intent="undo"
                  label="Undo the import"
                  heading={`Undo ${fileName}?`}
                  text="Every event of this import is voided. The wallets lose the points, and their history shows both events."
                  confirmLabel="Undo the import"
                  problems={problemsOf(answer, "undo")}
                />
              )}
            </>
          )
        }
      />
      <div className="mt-6 space-y-6">
        {preview ? (
          <>
            {canImport && (
              <Card heading="Columns">
                <div className="p-4 sm:p-5">
                  <ImportLayoutForm
                    layout={summary.layout}
                    sample={preview.sample}
                    problems={problemsOf(answer, "layout")}
                  />
                </div>
              </Card>
            )}
            <ImportDryRun
              preview={preview}
              problemsHref={`${base}/imports/${summary.id}/problems.csv`}
              walletHref={`${base}/wallets`}
            />
          </>
        ) : (
          <ImportProgress progress={{ ...summary, status }} now={readAt} />
        )}
      </div>
    </>
  );
}
