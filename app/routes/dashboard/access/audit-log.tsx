import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AuditList } from "../../../components/dashboard/access/audit-list";
import { PageHeader } from "../../../components/page/page-header";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listPointSystemAudit } from "../../../services/access/audit-log";
import { readAuditQuery } from "./audit-log.inputs.server";

export const meta: MetaFunction = () => [{ title: "Audit log · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  const filter = readAuditQuery(args.request);
  return { ...(await listPointSystemAudit(member, filter)), filter, readAt: Date.now() };
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
