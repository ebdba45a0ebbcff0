import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { Count, Day } from "../../ui/local";

interface Standing {
  address: string;
  points: number;
  spent: number;
  events: number;
  rank: number | null;
  boardSize: number;
  blacklisted: { address: string; reason: string | null; date: Date } | null;
}

/** Shows a wallet's figures, and the reason when it is blacklisted. */
export function WalletStanding({
  standing: { address, points, spent, events, rank, boardSize, blacklisted },
  boardHref,
}: {
  standing: Standing;
  /** The address of its row on the board. */
  boardHref: string | null;
}) {
  return (
    <>
      {blacklisted && (
        <div className="mt-4 break-words rounded-lg border border-danger/40 bg-danger/10 px-4 py-3 text-sm">
          <p>
            {blacklisted.address === address ? "Blacklisted" : "Its primary wallet is blacklisted"}{" "}
            since <Day date={blacklisted.date} />: it earns nothing and is not on the board.
          </p>
          <p>{blacklisted.reason ? `Reason: ${blacklisted.reason}` : "No reason was given."}</p>
        </div>
      )}
      <dl
        className={`mt-6 grid grid-cols-2 gap-4 sm:grid-cols-3 ${spent > 0 ? "lg:grid-cols-5" : ""}`}
      >
        <Figure label={spent > 0 ? "Points earned" : "Points"}>
          <Count value={points} />
        </Figure>
        {spent > 0 && (
          <>
            <Figure label="Points spent">
              <Count value={spent} />
            </Figure>
            <Figure label="Balance">
              <Count value={points - spent} />
            </Figure>
          </>
        )}
        <Figure label="Rank">
          {rank === null || blacklisted ? (
            "None"
          ) : (
            <>
              {boardHref === null ? (
                <Count value={rank} />
              ) : (
                <Link to={boardHref} className="text-accent underline">
                  <Count value={rank} />
                </Link>
              )}
              <span className="text-sm font-normal text-ink-muted">
                {" of "}
                <Count value={boardSize} />
              </span>
            </>
          )}
        </Figure>
        <Figure label="Events">
          <Count value={events} />
        </Figure>
      </dl>
    </>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="rounded-xl border border-line bg-raised px-4 py-3 shadow-sm odd:last:col-span-2 sm:px-5 sm:odd:last:col-span-1">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className="mt-0.5 text-xl font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
