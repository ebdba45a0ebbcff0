import { Link } from "@remix-run/react";
import { BALANCE, type CountedPoints } from "../../../domain/rewards/counted-points";
import type { FieldOption } from "../../form/option";
import { type FormProblems, fieldOf } from "../../form/problems";
import { SelectField } from "../../form/select-field";
import { Fact } from "../../ui/fact";

/**
 * Shows the field for the points that a reward counts.
 * @param props.familyHint explains the choices that name an earlier campaign
 */
export function PointsCountedField({
  options,
  chosen,
  problems,
  familyHint = "",
}: {
  options: readonly FieldOption[];
  chosen: string;
  problems: FormProblems | undefined;
  familyHint?: string;
}) {
  return (
    <SelectField
      label="Points counted"
      {...fieldOf(problems, "pointsCounted", chosen)}
      options={options}
      hint={`A board counts as it stood at its end. The balance leaves out what wallets have spent by then.${familyHint && ` ${familyHint}`}`}
    />
  );
}

/** Shows the points that a reward counts as a fact of its terms. */
export function PointsCountedFact({ points }: { points: CountedPoints }) {
  const { pointsBoard, familyId } = points;
  return (
    <Fact label="Points counted">
      {pointsBoard === BALANCE ? (
        "Balance: points that are not spent"
      ) : pointsBoard ? (
        <>The board {pointsBoard}, as it stood at its end</>
      ) : familyId ? (
        <Link to={`../${familyId}`} relative="path" className="underline">
          New since an earlier campaign
        </Link>
      ) : (
        "All"
      )}
    </Fact>
  );
}

/** Describes the points on which a preview rests. */
export function describePreviewedPoints({ pointsBoard, familyId }: CountedPoints): string {
  if (pointsBoard === BALANCE) return "An estimate by balance: wallets keep earning and spending";
  if (pointsBoard !== null) return `By the points of ${pointsBoard} at its end`;
  return familyId === null
    ? "An estimate: points keep changing"
    : "By points that no earlier campaign counted";
}
