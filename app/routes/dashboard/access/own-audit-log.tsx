import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireOperator } from "../../../auth/request-operator";
import { AuditList } from "../../../components/dashboard/access/audit-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { page } from "../../../http/page";
import { listAccountAudit } from "../../../services/access/audit-log";
import { readAuditQuery } from "./audit-log.inputs.server";

export const meta = titlePage("Account log");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { id, isAdministrator } = await requireOperator(args);
  const filter = readAuditQuery(args.request);
  const found = await listAccountAudit(isAdministrator ? null : id, filter);
  return { ...found, filter, readAt: Date.now(), isAdministrator, findsOperators: true };
});

export default function AccountLog() {
  const { isAdministrator, ...list } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Account log"
        description={
          isAdministrator
            ? "Actions of all operators outside point systems."
            : "Your actions outside point systems."
        }
      />
      <AuditList {...list} />
    </>
  );
}
