/** Shows a name's first letter in a tile, for lists of things that have no picture. */
export function Monogram({ name, isRound = false }: { name: string; isRound?: boolean }) {
  const [letter = "?"] = name.trim();
  return (
    <span
      aria-hidden="true"
      className={`inline-flex size-7 shrink-0 items-center justify-center bg-accent/10 text-sm font-semibold uppercase text-accent ${isRound ? "rounded-full" : "rounded-lg"}`}
    >
      {letter}
    </span>
  );
}
