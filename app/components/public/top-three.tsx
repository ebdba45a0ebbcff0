import { shortenAddress } from "../../domain/address";
import { TierBadge } from "../progress/tier-badge";
import { Count } from "../ui/local";
import { WalletMark } from "../ui/wallet-mark";

interface Leader {
  address: string;
  points: number;
  rank: number;
  tier?: { name: string; color: string } | null;
}

/** The places on a wide screen: the first one stands in the middle, and higher. */
const PLACES = ["sm:order-2", "sm:order-1 sm:mt-6", "sm:order-3 sm:mt-6"] as const;

/** Shows the first three wallets of a board; none when there are fewer. */
export function TopThree({ leaders }: { leaders: readonly Leader[] }) {
  if (leaders.length < PLACES.length) return null;
  return (
    <ol aria-label="Top three" className="mt-6 grid gap-3 sm:grid-cols-3">
      {PLACES.map((place, index) => {
        const leader = leaders[index];
        if (!leader) return null;
        const { address, points, rank, tier } = leader;
        return (
          <li
            key={address}
            className={`${place} flex items-center gap-3 rounded-xl border bg-raised p-4 shadow-sm sm:flex-col sm:text-center ${index === 0 ? "border-fill" : "border-line"}`}
          >
            <span className="relative">
              <WalletMark address={address} className="size-10 sm:size-14" />
              <span className="absolute -bottom-1 -right-1 flex size-6 items-center justify-center rounded-full bg-fill text-xs font-semibold text-on-fill">
                <Count value={rank} />
              </span>
            </span>
            <span className="min-w-0">
              <span title={address} className="block font-mono text-[0.8125rem]">
                {shortenAddress(address)}
              </span>
              <span className="block break-all font-semibold tabular-nums">
                <Count value={points} />{" "}
                <span className="text-xs font-normal text-ink-muted">
                  {points === 1 ? "point" : "points"}
                </span>
              </span>
              {tier && <TierBadge tier={tier} />}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
