/** Shows the method of an endpoint: one that writes stands out. */
export function MethodMark({ method }: { method: "GET" | "POST" }) {
  return (
    <span
      className={`shrink-0 rounded px-1.5 py-0.5 font-mono text-[0.6875rem] font-semibold ${
        method === "POST" ? "bg-accent/10 text-accent" : "bg-sunken text-ink-muted"
      }`}
    >
      {method}
    </span>
  );
}
