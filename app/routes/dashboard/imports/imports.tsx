import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { ImportList } from "../../../components/dashboard/imports/list";
import { problemsOf } from "../../../components/form/problems";
import { UploadForm } from "../../../components/form/upload-form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { parseCursor } from "../../../domain/cursor";
import { Failure } from "../../../domain/failure";
import { parseUuid } from "../../../domain/uuid";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { readUploadBody } from "../../../http/upload";
import { listImports } from "../../../services/imports/imports";
import { createImport } from "../../../services/imports/steps";
import { usePointSystem } from "../point-systems/layout";
import { toUploadedFile, UploadInputs } from "./import.inputs.server";

export const meta = titlePage("Import");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("imports"));
  const before = new URL(args.request.url).searchParams.get("before") ?? "";
  const cursor = parseCursor(before, "older", parseUuid);
  const { rows: imports, older } = await listImports(member, cursor);
  return { imports, older, isNewest: cursor === null, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("imports"));
  return takeForm(
    args,
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
    { readBody: (request) => readUploadBody(request), uploader: member.actor.operatorId },
  );
});

export default function Imports() {
  const { imports, older, isNewest, readAt } = useLoaderData<typeof loader>();
  const problems = problemsOf(useActionData<typeof action>(), "");
  const canImport = usePointSystem().role !== "viewer";
  return (
    <>
      <PageHeader
        title="Import"
        description="Credit points to many wallets from a file. You see a preview first and can undo the import later."
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
        olderHref={older && `?before=${older}`}
      />
    </>
  );
}
