import { Count } from "../ui/local";

interface WalletStreak {
  key: string;
  name: string;
  current: number;
  longest: number;
}

/** Lists a wallet's days in a row. */
export function StreakFacts({ streaks }: { streaks: readonly WalletStreak[] }) {
  return (
    <dl className="grid gap-2 text-sm">
      {streaks.map(({ key, name, current, longest }) => (
        <div key={key} className="flex flex-wrap justify-between gap-x-4">
          <dt className="min-w-0 break-words font-medium">{name}</dt>
          <dd className="text-ink-muted tabular-nums">
            <span className="text-ink">
              <Count value={current} /> {current === 1 ? "day" : "days"} in a row
            </span>
            , longest <Count value={longest} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
