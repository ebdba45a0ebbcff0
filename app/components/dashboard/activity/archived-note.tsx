import { Day } from "../../ui/local";

/** Says from when on a list of events is complete. */
export function ArchivedNote({ before }: { before: Date | null }) {
  if (!before) return null;
  return (
    <p className="mt-3 text-sm text-ink-muted">
      Events before <Day date={before} /> are archived and not listed. They still count.
    </p>
  );
}
