import type { PointsRange } from "../../../domain/ledger/points";
import type { TriggerCap } from "../../../domain/point-systems/trigger-cap";
import { Field } from "../../form/field";
import { type FormProblems, fieldOf } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { TriggerCapFields } from "./trigger-cap-fields";

const KINDS = [
  { value: "fixed", label: "Fixed points", hint: "Every call credits the same points." },
  { value: "variable", label: "Variable points", hint: "A call can set its points." },
];

/**
 * Shows the fields of a trigger's points. The fields of the other kind are hidden by style, so that
 * they are posted, and work without JavaScript.
 */
export function TriggerPointsFields({
  problems,
  points,
  variable = null,
}: {
  problems: FormProblems | undefined;
  points?: number;
  variable?: PointsRange | null;
}) {
  const field = (name: "points" | "pointsMin" | "pointsMax", value: number | undefined) => ({
    name,
    inputMode: "numeric" as const,
    autoComplete: "off",
    defaultValue: problems?.values[name] ?? value?.toString(),
    problem: problems?.fields[name],
  });
  return (
    <div className="group/points space-y-5">
      <RadioGroup
        label="Points for each call"
        {...fieldOf(problems, "kind", variable ? "variable" : "fixed")}
        options={KINDS}
      />
      <Field
        label={
          <>
            <span className="group-has-[[value=variable]:checked]/points:hidden">Points</span>
            <span className="hidden group-has-[[value=variable]:checked]/points:inline">
              Default points
            </span>
          </>
        }
        hint={
          <>
            1 to 1,000,000,000
            <span className="hidden group-has-[[value=variable]:checked]/points:inline">
              , for calls that set no points
            </span>
            .
          </>
        }
        {...field("points", points)}
      />
      <div className="grid gap-5 group-has-[[value=fixed]:checked]/points:hidden sm:grid-cols-2">
        <Field label="Minimum points" {...field("pointsMin", variable?.min)} />
        <Field label="Maximum points" {...field("pointsMax", variable?.max)} />
      </div>
    </div>
  );
}

/** Shows the fields of a trigger that can be changed. */
export function TriggerFields({
  problems,
  trigger: { name, points, variable, cap },
  timeZones,
}: {
  problems: FormProblems | undefined;
  trigger: { name: string; points: number; variable: PointsRange | null; cap: TriggerCap | null };
  timeZones: readonly string[];
}) {
  return (
    <>
      <Field
        label="Event name"
        {...fieldOf(problems, "name", name)}
        autoComplete="off"
        maxLength={100}
      />
      <TriggerPointsFields problems={problems} points={points} variable={variable} />
      <TriggerCapFields problems={problems} cap={cap} timeZones={timeZones} />
    </>
  );
}
