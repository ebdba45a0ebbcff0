/** Shows whether the page's data is current. */
export function LiveMark({ misses }: { misses: number }) {
  const isLive = misses === 0;
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${isLive ? "bg-success" : "border border-ink-muted"}`}
      />
      {isLive ? "Live" : "Not up to date"}
    </span>
  );
}
