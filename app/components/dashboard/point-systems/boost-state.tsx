import { Badge } from "../../ui/badge";

const STATES = {
  running: { label: "Running", tone: "success" },
  scheduled: { label: "Scheduled", tone: "neutral" },
  ended: { label: "Ended", tone: "neutral" },
} as const;

/** Shows the state of a boost. */
export function BoostState({ state }: { state: keyof typeof STATES }) {
  const { label, tone } = STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}
