import { z } from "zod";
import { ALL_SECURITY_EVENTS, isAuditAction } from "../../../domain/access/audit";
import { isStorableText } from "../../../domain/storable-text";
import type { AuditFilter } from "../../../services/access/audit-log";

/** The filter in a page's address, set by a link or a form. Invalid values count as not set. */
const AuditQuery = z.object({
  action: z
    .string()
    .refine((action) => action === ALL_SECURITY_EVENTS || isAuditAction(action))
    .nullable()
    .catch(null),
  actor: z
    .string()
    .trim()
    .toLowerCase()
    .max(254)
    .refine(isStorableText)
    .transform((actor) => actor || null)
    .nullable()
    .catch(null),
  beforeId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).nullable().catch(null),
});

/** Reads the audit log's filter from a page's address. */
export function readAuditQuery(request: Request): AuditFilter {
  const query = new URL(request.url).searchParams;
  return AuditQuery.parse({
    action: query.get("action"),
    actor: query.get("actor"),
    beforeId: query.get("before") || Number.NaN,
  }) as AuditFilter;
}
