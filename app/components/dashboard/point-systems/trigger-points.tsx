import type { PointsRange } from "../../../domain/ledger/points";
import { Count } from "../../ui/local";

/** Shows the points of a trigger's call: `10`, or `5 to 500, 50 by default`. */
export function TriggerPoints({
  points,
  variable,
}: {
  points: number;
  variable: PointsRange | null;
}) {
  if (!variable) return <Count value={points} />;
  return (
    <>
      <span className="whitespace-nowrap">
        <Count value={variable.min} /> to <Count value={variable.max} />,
      </span>{" "}
      <span className="whitespace-nowrap">
        <Count value={points} /> by default
      </span>
    </>
  );
}
