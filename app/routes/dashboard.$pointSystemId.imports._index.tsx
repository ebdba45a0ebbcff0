import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { ImportList } from "../components/dashboard/import-list";
import { UploadForm } from "../components/dashboard/upload-form";
import { problemsOf } from "../components/form/problems";
import { Card } from "../components/ui/card";
import { PageHeader } from "../components/ui/page-header";
import { CursorPager } from "../components/ui/pager";
import { formatFeedCursor, parseFeedCursor } from "../domain/activity-filter";
import { Failure } from "../domain/failure";
import { createImport } from "../services/import-steps";
import { listImports } from "../services/imports";
import { usePointSystem } from "./dashboard.$pointSystemId";
import { takeForm } from "./form.server";
import { toUploadedFile, UploadInputs } from "./import-inputs.server";
import { requireMember } from "./member.server";
import { redirectWithNotice } from "./notice.server";
import { page } from "./page.server";
import { readUploadBody } from "./upload.server";

export const meta: MetaFunction = () => [{ title: "Import · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  const before = parseFeedCursor(new URL(args.request.url).searchParams.get("before") ?? "");
  const list = await listImports(member, before && { createdAt: before.date, id: before.id });
  return { ...list, isNewest: before === null, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "editor");
  return takeForm(
    args.request,
    UploadInputs,
    async (inputs) => {
      const { field, ...file } = toUploadedFile(inputs);
      try {
        const { id } = await createImport(member, file);
        const path = `/dashboard/${member.pointSystemId}/imports/${id}`;
        return await redirectWithNotice(path, `${file.fileName} is uploaded.`, args.context);
      } catch (error) {
        if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
        throw new Failure(error.code, { ...error.details, field });
      }
    },
    { readBody: (request) => readUploadBody(request) },
  );
});

export default function Imports() {
  const { imports, hasMore, isNewest, readAt } = useLoaderData<typeof loader>();
  const problems = problemsOf(useActionData<typeof action>(), "");
  const canImport = usePointSystem().role !== "viewer";
  const last = imports.at(-1);
  return (
    <>
      <PageHeader
        title="Import"
        description="Credits points to many wallets from a file. You see what it does before anything is credited, and can undo it whole."
      />
      <div className="mt-6 space-y-6">
        {canImport && (
          <Card heading="Upload a file">
            <div className="max-w-2xl p-4 sm:p-5">
              <UploadForm problems={problems} />
            </div>
          </Card>
        )}
        <Card heading="Imports">
          <ImportList imports={imports} now={readAt} canImport={canImport} />
        </Card>
      </div>
      <CursorPager
        label="Pages of imports"
        newerHref={isNewest ? null : "?"}
        newerLabel="Newest"
        olderHref={
          hasMore && last
            ? `?before=${formatFeedCursor({ date: last.createdAt, id: last.id })}`
            : null
        }
      />
    </>
  );
}
