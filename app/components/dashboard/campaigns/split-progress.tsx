import { type CampaignRound, isRoundRunning } from "../../../domain/campaigns/campaign";
import type { AllocationStatus } from "../../../domain/rewards/reward";
import { Alert } from "../../ui/alert";
import { Count } from "../../ui/local";
import { Progress } from "../../ui/progress";

const TEXTS: Record<AllocationStatus, string> = {
  queued: "Waiting to start.",
  allocating: "Reading points and computing amounts.",
  building: "Building the Merkle trees.",
  checking: "Checking the proofs.",
  built: "Everything is built.",
  failed: "The split failed.",
};

type Round = Pick<CampaignRound, "round" | "status" | "wallets" | "walletsDone" | "failure">;

/** Shows the progress of a split, or the reason why it failed. */
export function SplitProgress({ round }: { round: Round }) {
  const { status, wallets, walletsDone, failure } = round;
  if (status === "failed") {
    return (
      <Alert>The split failed. {failure ?? "See the server's log."} Nothing was published.</Alert>
    );
  }
  if (!isRoundRunning(round)) return null;
  return (
    <div className="text-sm">
      <p role="status" className="mb-2">
        {TEXTS[status]} You can leave this page.
      </p>
      <Progress
        label="Wallets done"
        max={wallets ?? 1}
        value={status === "queued" || wallets === null ? null : walletsDone}
      >
        {wallets === null ? (
          "The number of wallets is not known yet."
        ) : (
          <>
            <Count value={walletsDone} /> of <Count value={wallets} /> wallets in this step.
          </>
        )}
      </Progress>
    </div>
  );
}
