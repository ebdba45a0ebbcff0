import { Figure } from "../../ui/fact";
import { Count } from "../../ui/local";
import { RewardResult } from "../rewards/result";

/** Shows how many of the assigned gift cards their holders have revealed. */
export function GiftCardResult({
  tiers,
}: {
  tiers: readonly { inPool: number; assigned: number; revealed: number }[];
}) {
  const sum = (of: "inPool" | "assigned" | "revealed") =>
    tiers.reduce((total, tier) => total + tier[of], 0);
  const [assigned, revealed] = [sum("assigned"), sum("revealed")];
  return (
    <RewardResult
      label="revealed"
      share={assigned === 0 ? 0 : revealed / assigned}
      figures={
        <>
          <Figure label="Revealed">
            <Count value={revealed} />
          </Figure>
          <Figure label="Not revealed">
            <Count value={assigned - revealed} />
          </Figure>
          <Figure label="Assigned">
            <Count value={assigned} />
          </Figure>
          <Figure label="Codes left">
            <Count value={sum("inPool")} />
          </Figure>
        </>
      }
    />
  );
}
