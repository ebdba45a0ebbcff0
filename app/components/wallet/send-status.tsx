import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import type { Signatures } from "./safe-app";
import type { SendState } from "./use-send";

/** Shows the state of a transaction, with a link to an explorer. */
export function SendStatus({
  state,
  explorerUrl,
  minedText,
  onStop,
}: {
  state: SendState;
  explorerUrl: string;
  /** The text that follows once the transaction is in a block. */
  minedText: string;
  /** Stops waiting for a transaction that does not come. */
  onStop: () => void;
}) {
  if (state.step === "failed") return <Alert>{state.text}</Alert>;
  return (
    <div role="status" className="text-sm">
      {state.step === "checking" && <p>Simulating the transaction…</p>}
      {state.step === "signing" && <p>Confirm in the wallet.</p>}
      {state.step === "sponsored" && (
        <div className="space-y-3">
          <p>Sent. The gas is paid for this wallet. Waiting for a block…</p>
          <Button variant="quiet" size="small" onClick={onStop}>
            Stop waiting
          </Button>
        </div>
      )}
      {state.step === "owners" && (
        <div className="space-y-3">
          <p>
            {describeOwners(state.signatures)} This page continues on its own, also after you come
            back.
          </p>
          <Button variant="quiet" size="small" onClick={onStop}>
            Stop waiting
          </Button>
        </div>
      )}
      {(state.step === "mining" || state.step === "mined") && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p>
            {state.step === "mining" ? "Sent. Waiting for a block…" : minedText}{" "}
            <a
              href={`${explorerUrl}/tx/${state.hash}`}
              rel="noreferrer"
              target="_blank"
              className="font-mono text-accent underline"
            >
              {state.hash.slice(0, 10)}…
            </a>
          </p>
          <Button variant="quiet" size="small" onClick={onStop}>
            Stop waiting
          </Button>
        </div>
      )}
    </div>
  );
}

function describeOwners(signatures: Signatures | null): string {
  if (!signatures) return "Sent to the wallet. Other owners find it there to sign.";
  const { have, needed } = signatures;
  return have < needed
    ? `Waiting for the Safe's other owners: ${have} of ${needed} have signed. They find it among the Safe's transactions.`
    : `All ${needed} required owners have signed. One of them has to execute it in the Safe.`;
}
