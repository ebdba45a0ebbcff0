/** Shows a tier by its name, with a dot in its colour. */
export function TierBadge({ tier: { name, color } }: { tier: { name: string; color: string } }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-sunken px-1.5 py-0.5 align-middle font-medium text-ink-muted text-xs">
      {/* The outline shows a dot in the colour of the page. */}
      <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5 shrink-0 text-ink-muted">
        <circle cx="5" cy="5" r="4.5" fill={color} stroke="currentColor" />
      </svg>
      <span className="truncate">{name}</span>
    </span>
  );
}
