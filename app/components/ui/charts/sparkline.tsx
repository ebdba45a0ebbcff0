/** Draws the course of values without axes, beside the number that they add up to. */
export function Sparkline({
  values,
  className = "text-accent",
}: {
  values: readonly number[];
  className?: string;
}) {
  const top = Math.max(1, ...values);
  const points = values.map(
    (value, i) => `${(100 * i) / Math.max(1, values.length - 1)},${30 - (28 * value) / top}`,
  );
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 32"
      preserveAspectRatio="none"
      className={`h-8 w-full max-w-28 fill-current stroke-current ${className}`}
    >
      <polygon points={`0,32 ${points.join(" ")} 100,32`} stroke="none" fillOpacity={0.12} />
      <polyline
        points={points.join(" ")}
        fill="none"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
