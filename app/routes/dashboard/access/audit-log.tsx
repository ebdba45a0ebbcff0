import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AuditList } from "../../../components/dashboard/access/audit-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead } from "../../../domain/access/pages";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listPointSystemAudit } from "../../../services/access/audit-log";
import { seesAddresses } from "../../../services/access/colleagues";
import { readAuditQuery } from "./audit-log.inputs.server";

export const meta = titlePage("Audit log");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("audit-log"));
  const filter = readAuditQuery(args.request);
  const found = await listPointSystemAudit(member, filter);
  return { ...found, filter, readAt: Date.now(), findsOperators: seesAddresses(member) };
});

export default function AuditLog() {
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Changes by operators in this point system, and their origin."
      />
      <AuditList {...useLoaderData<typeof loader>()} />
    </>
  );
}
