import { Badge } from "../../ui/badge";

const STATES = {
  scheduled: { label: "Scheduled", tone: "neutral" },
  open: { label: "Open", tone: "success" },
  ended: { label: "Ended", tone: "neutral" },
  filling: { label: "Being counted", tone: "accent" },
} as const;

/** Shows the state of a board. */
export function BoardState({ state }: { state: keyof typeof STATES }) {
  const { label, tone } = STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}
