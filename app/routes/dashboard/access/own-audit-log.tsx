import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireOperator } from "../../../auth/request-operator";
import { AuditList } from "../../../components/dashboard/access/audit-list";
import { PageHeader } from "../../../components/page/page-header";
import { page } from "../../../http/page";
import { listAccountAudit } from "../../../services/access/audit-log";
import { readAuditQuery } from "./audit-log.inputs.server";

export const meta: MetaFunction = () => [{ title: "Account log · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { id, isAdministrator } = await requireOperator(args);
  const filter = readAuditQuery(args.request);
  const found = await listAccountAudit(isAdministrator ? null : id, filter);
  return { ...found, filter, readAt: Date.now(), isAdministrator };
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
