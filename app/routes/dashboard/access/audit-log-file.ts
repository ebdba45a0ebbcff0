import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listPointSystemAudit } from "../../../services/access/audit-log";
import { answerAuditFile } from "./audit-export.server";

/** Answers a point system's audit log as a file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("audit-log.csv"));
  return answerAuditFile(args, (filter) => listPointSystemAudit(member, filter));
});
