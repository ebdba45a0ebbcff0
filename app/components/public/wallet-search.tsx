import { Form, Link } from "@remix-run/react";
import { useEffect } from "react";
import { shortenAddress } from "../../domain/address";
import { Field } from "../form/field";
import { StreakFacts } from "../progress/streak-facts";
import { TierBadge } from "../progress/tier-badge";
import { Button } from "../ui/button";
import { Count } from "../ui/local";

interface Search {
  /** The typed text; empty when there is no search. */
  typed: string;
  /** Null when the typed text is not a wallet. */
  address: string | null;
  /** Null when the wallet is not on the board. */
  standing: { rank: number; points: number } | null;
  /** Whether it may be linked to a wallet that is on the board. */
  hasLinks: boolean;
  /** The points that it lacks for the next better rank; null for the first. */
  missing: number | null;
  tier: { name: string; color: string } | null;
  streaks: readonly { key: string; name: string; current: number; longest: number }[];
}

/** Searches for a wallet on a public board, and shows its rank. */
export function WalletSearch({
  search,
  path,
  board,
}: {
  search: Search;
  path: string;
  /** The board that it searches; null for the all-time board. */
  board: string | null;
}) {
  const { typed, address, standing, hasLinks, missing, tier, streaks } = search;
  const isFound = standing !== null;
  useEffect(() => {
    if (isFound) document.getElementById("wallet")?.scrollIntoView({ block: "center" });
  }, [isFound]);
  const isInvalid = typed !== "" && address === null;
  return (
    <div className="mt-6">
      <Form role="search" action={path} className="flex flex-wrap items-start gap-3">
        {board !== null && <input type="hidden" name="board" value={board} />}
        <div className="min-w-0 flex-1 basis-64">
          <Field
            label="Find a wallet"
            name="wallet"
            autoComplete="off"
            spellCheck={false}
            placeholder="0x…"
            maxLength={300}
            defaultValue={typed}
            problem={isInvalid ? "Enter an address: 0x and 40 hexadecimal digits." : undefined}
          />
        </div>
        {/* In line with the box, whatever is below it. */}
        <Button type="submit" variant="quiet" className="mt-[1.625rem]">
          Find
        </Button>
      </Form>
      {address !== null && (
        <p role="status" className="mt-3 text-sm">
          <span title={address} className="font-mono text-[0.8125rem]">
            {shortenAddress(address)}
          </span>{" "}
          {standing ? (
            <>
              is number <Count value={standing.rank} /> with <Count value={standing.points} />{" "}
              {standing.points === 1 ? "point" : "points"}.
              {missing !== null && (
                <>
                  {" "}
                  <Count value={missing} /> more {missing === 1 ? "point" : "points"} to number{" "}
                  <Count value={standing.rank - 1} />.
                </>
              )}
            </>
          ) : (
            <>
              is not on the board.
              {hasLinks && " The points of a linked wallet count for its primary wallet."}
            </>
          )}{" "}
          <Link
            to={board === null ? path : `${path}?board=${board}`}
            className="inline-flex min-h-6 items-center text-accent underline"
          >
            Back to the top
          </Link>
        </p>
      )}
      {(tier !== null || streaks.length > 0) && (
        <div className="mt-3 grid max-w-sm justify-items-start gap-2">
          {tier && <TierBadge tier={tier} />}
          <StreakFacts streaks={streaks} />
        </div>
      )}
    </div>
  );
}
