import type { RewardStatus } from "../../../domain/rewards/reward";
import { Badge } from "../../ui/badge";

const STATES = {
  draft: { label: "Draft", tone: "neutral" },
  active: { label: "Active", tone: "accent" },
  distributed: { label: "Distributed", tone: "success" },
  cancelled: { label: "Cancelled", tone: "danger" },
} as const satisfies Record<RewardStatus, object>;

/** Shows the status of a reward. */
export function RewardBadge({ status }: { status: RewardStatus }) {
  const { label, tone } = STATES[status];
  return <Badge tone={tone}>{label}</Badge>;
}
