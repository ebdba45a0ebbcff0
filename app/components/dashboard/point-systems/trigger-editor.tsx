import type { PointsRange } from "../../../domain/ledger/points";
import type { TriggerCap } from "../../../domain/point-systems/trigger-cap";
import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Card } from "../../ui/card";
import { Count } from "../../ui/local";
import { TriggerFields } from "./trigger-fields";

/** Offers an editor's actions on a trigger. */
export function TriggerEditor({
  trigger,
  token,
  timeZones,
  answer,
}: {
  trigger: {
    key: string;
    name: string;
    points: number;
    variable: PointsRange | null;
    cap: TriggerCap | null;
    isActive: boolean;
  };
  /** Makes the test fire credit once, however often its form is sent. */
  token: string;
  timeZones: readonly string[];
  answer: { problems: FormProblems } | undefined;
}) {
  const { name, points, isActive } = trigger;
  const test = problemsOf(answer, "test");
  return (
    <div className="grid min-w-0 gap-6">
      <Card heading="Event name, points and cap">
        <div className="space-y-5 p-4 sm:p-5">
          <Form intent="update" problems={problemsOf(answer, "update")} submitLabel="Save">
            <TriggerFields
              problems={problemsOf(answer, "update")}
              trigger={trigger}
              timeZones={timeZones}
            />
          </Form>
          <p className="text-sm text-ink-muted">
            Past events keep their points. The key cannot be changed: create a new trigger for
            another key.
          </p>
        </div>
      </Card>
      <Card heading="State">
        <div className="space-y-4 p-4 text-sm sm:p-5">
          <p className="text-ink-muted">
            {isActive ? "Active. Turn off to reject calls." : "Inactive. Calls are rejected."}
          </p>
          <Form
            intent="state"
            fields={{ isActive: isActive ? "inactive" : "active" }}
            problems={problemsOf(answer, "state")}
            submitLabel={isActive ? "Turn off" : "Turn on"}
            submitVariant="quiet"
          />
        </div>
      </Card>
      <Card heading="Test fire">
        <div className="space-y-4 p-4 text-sm sm:p-5">
          <p>
            This credits <Count value={points} /> {points === 1 ? "point" : "points"}
            {trigger.variable && ", the default,"} for real. The event appears in the API like any
            other. Caps do not apply to it.
          </p>
          <Form
            intent="test"
            fields={{ token: test?.values.token ?? token }}
            problems={test}
            submitLabel="Credit the points"
            submitVariant="quiet"
          >
            <Field
              label="Wallet address"
              name="address"
              autoComplete="off"
              spellCheck={false}
              placeholder="0x…"
              defaultValue={test?.values.address}
              problem={test?.fields.address}
            />
          </Form>
        </div>
      </Card>
      <Card heading="Delete">
        <div className="space-y-4 p-4 text-sm sm:p-5">
          <p className="text-ink-muted">
            Its calls are rejected. Its events and their points are kept.
          </p>
          <ConfirmForm
            intent="delete"
            label="Delete the trigger"
            heading={`Delete ${name}?`}
            text="Its events stay, under its key. To pause the trigger, turn it off instead."
            confirmLabel="Delete"
            problems={problemsOf(answer, "delete")}
          />
        </div>
      </Card>
    </div>
  );
}
