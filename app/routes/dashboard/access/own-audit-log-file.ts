import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireOperator } from "../../../auth/request-operator";
import { page } from "../../../http/page";
import { listAccountAudit } from "../../../services/access/audit-log";
import { answerAuditFile } from "./audit-export.server";

/** Answers the account log as a file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { id, isAdministrator } = await requireOperator(args);
  return answerAuditFile(args, (filter) => listAccountAudit(isAdministrator ? null : id, filter));
});
