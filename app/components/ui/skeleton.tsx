/** Keeps the place of a table that is being loaded. */
export function TableSkeleton({ rows, columns }: { rows: number; columns: number }) {
  return (
    <div className="divide-y divide-line">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map((row) => (
        <div key={row} aria-hidden="true" className="flex gap-4 px-4 py-3 sm:px-5">
          {Array.from({ length: columns }, (_, column) => `column ${column}`).map((column) => (
            <Bar key={column} className="h-4 flex-1" />
          ))}
        </div>
      ))}
    </div>
  );
}

function Bar({ className }: { className: string }) {
  return (
    <div
      aria-hidden="true"
      className={`rounded-lg bg-sunken motion-safe:animate-pulse ${className}`}
    />
  );
}
