import type { ReactNode } from "react";

const MARKS = {
  done: "border-success bg-success/10 text-success",
  current: "border-fill bg-fill text-on-fill",
  later: "border-line bg-sunken text-ink-muted",
} as const;

export type StepState = keyof typeof MARKS;

const WORDS: Record<StepState, string> = { done: "done", current: "now", later: "later" };

/** Lists steps, each of which needs the one before it. */
export function Steps({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {children}
    </ol>
  );
}

/**
 * Shows one step: its number, or a mark when it is done. Its actions are shown when it is the
 * current step.
 */
export function Step({
  number,
  title,
  state,
  summary,
  children,
}: {
  number: number;
  title: string;
  state: StepState;
  /** The text beneath the title, in every state. */
  summary?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li
      aria-current={state === "current" ? "step" : undefined}
      className="flex gap-3 px-4 py-3.5 text-sm sm:px-5"
    >
      <span
        aria-hidden="true"
        className={`mt-px inline-flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-semibold ${MARKS[state]}`}
      >
        {state === "done" ? "✓" : number}
      </span>
      <div className="min-w-0 flex-1">
        <p className={state === "later" ? "text-ink-muted" : "font-medium"}>
          {title}
          <span className="sr-only">, {WORDS[state]}</span>
        </p>
        {summary && <div className="mt-0.5 break-words text-ink-muted">{summary}</div>}
        {state === "current" && children && <div className="mt-3 space-y-3">{children}</div>}
      </div>
    </li>
  );
}
