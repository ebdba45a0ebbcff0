import { Check, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const TONES = {
  neutral: "border-line bg-sunken text-ink-muted",
  success: "border-success/30 bg-success/10 text-success",
  danger: "border-danger/30 bg-danger/10 text-danger",
  accent: "border-accent/30 bg-accent/10 text-accent",
} as const;

/** The marks of states that a reader looks for. */
const ICONS = { success: Check, danger: TriangleAlert } as const;

/** Shows a state in a word or two. */
export function Badge({
  tone = "neutral",
  children,
}: {
  tone?: keyof typeof TONES;
  children: ReactNode;
}) {
  const Icon = tone === "success" || tone === "danger" ? ICONS[tone] : null;
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-md border px-1.5 py-0.5 text-xs font-medium ${TONES[tone]}`}
    >
      {Icon && <Icon aria-hidden="true" className="size-3 shrink-0" />}
      {children}
    </span>
  );
}
