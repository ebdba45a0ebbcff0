import { useEffect, useRef } from "react";
import { Field } from "../../form/field";
import { FieldFrame, getInputClass } from "../../form/field-frame";
import type { FormProblems } from "../../form/problems";

/**
 * Shows the fields of a deadline: a local time and its time zone. The zone is the browser's until
 * one was chosen.
 * @param props.timeZone empty when none was chosen
 * @param props.timeZones those that the server knows: a browser may know others
 */
export function DeadlineFields({
  problems,
  deadline,
  timeZone,
  timeZones,
}: {
  problems: FormProblems | undefined;
  deadline: string;
  timeZone: string;
  timeZones: readonly string[];
}) {
  const zoneField = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (timeZone !== "" || !zoneField.current) return;
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    // A zone that was chosen before the scripts were loaded stays.
    if (zoneField.current.value === "UTC" && timeZones.includes(own)) {
      zoneField.current.value = own;
    }
  }, [timeZone, timeZones]);
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field
        label="Claim deadline"
        name="deadline"
        type="datetime-local"
        isOptional
        hint="Without one, claims stay open."
        defaultValue={deadline}
        problem={problems?.fields.deadline}
      />
      <FieldFrame label="Time zone" hint="For the deadline." problem={problems?.fields.timeZone}>
        {(control) => (
          <select
            {...control}
            ref={zoneField}
            name="timeZone"
            defaultValue={timeZone || "UTC"}
            className={getInputClass(problems?.fields.timeZone)}
          >
            {timeZones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        )}
      </FieldFrame>
    </div>
  );
}
