import { Form, Link } from "@remix-run/react";
import { useEffect } from "react";
import { shortenAddress } from "../../domain/address";
import { Field } from "../form/field";
import { Button } from "../ui/button";
import { Count } from "../ui/local";

interface Search {
  /** The typed text; empty when there is no search. */
  typed: string;
  /** Null when the typed text is not a wallet. */
  address: string | null;
  /** Null when the wallet is not on the board. */
  standing: { rank: number; points: number } | null;
}

/** Searches for a wallet on a public board, and shows its rank. */
export function WalletSearch({ search, path }: { search: Search; path: string }) {
  const { typed, address, standing } = search;
  const isFound = standing !== null;
  useEffect(() => {
    if (isFound) document.getElementById("wallet")?.scrollIntoView({ block: "center" });
  }, [isFound]);
  const isInvalid = typed !== "" && address === null;
  return (
    <div className="mt-6">
      <Form role="search" action={path} className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <Field
            label="Find a wallet"
            name="wallet"
            autoComplete="off"
            spellCheck={false}
            placeholder="0x…"
            maxLength={100}
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
            </>
          ) : (
            "is not on the board."
          )}{" "}
          <Link to={path} className="inline-flex min-h-6 items-center text-accent underline">
            Back to the top
          </Link>
        </p>
      )}
    </div>
  );
}
