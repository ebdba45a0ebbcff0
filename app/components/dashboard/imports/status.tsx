import type { ImportStatus } from "../../../domain/imports/import";
import { Badge } from "../../ui/badge";

const STATES = {
  draft: { label: "Draft", tone: "neutral" },
  committing: { label: "Committing", tone: "accent" },
  committed: { label: "Committed", tone: "success" },
  undoing: { label: "Undoing", tone: "accent" },
  undone: { label: "Undone", tone: "neutral" },
} as const satisfies Record<ImportStatus, object>;

/** Shows the status of an import. */
export function ImportBadge({ status, hasFailed }: { status: ImportStatus; hasFailed: boolean }) {
  if (hasFailed) return <Badge tone="danger">Failed</Badge>;
  const { label, tone } = STATES[status];
  return <Badge tone={tone}>{label}</Badge>;
}
