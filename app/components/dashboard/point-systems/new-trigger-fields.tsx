import { useEffect, useId, useRef, useState } from "react";
import { sanitizeTriggerKey } from "../../../domain/point-systems/trigger-key";
import { FieldFrame, getInputClass } from "../../form/field-frame";
import type { FormProblems } from "../../form/problems";
import { TriggerCapFields } from "./trigger-cap-fields";
import { TriggerPointsFields } from "./trigger-fields";

/**
 * Shows the fields of a new trigger. The key follows the name until it is edited. The key that the
 * server will make of it is shown beneath.
 */
export function NewTriggerFields({
  problems,
  timeZones,
}: {
  problems: FormProblems | undefined;
  timeZones: readonly string[];
}) {
  const previewId = useId();
  const nameField = useRef<HTMLInputElement>(null);
  const keyField = useRef<HTMLInputElement>(null);
  const [typedKey, setTypedKey] = useState<string | null>(null);
  const isOwnKey = useRef(Boolean(problems?.values.key));
  // Reads the values that were typed before the scripts were loaded, or that came back with a
  // problem.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once
  useEffect(() => {
    const text = keyField.current?.value ?? "";
    if (text !== "") isOwnKey.current = true;
    setTypedKey(text);
    followName(nameField.current?.value ?? "");
  }, []);
  const followName = (name: string) => {
    if (isOwnKey.current || !keyField.current) return;
    keyField.current.value = sanitizeTriggerKey(name);
    setTypedKey(keyField.current.value);
  };
  return (
    <>
      <FieldFrame label="Event name" problem={problems?.fields.name}>
        {(control) => (
          <input
            {...control}
            ref={nameField}
            name="name"
            autoComplete="off"
            maxLength={100}
            defaultValue={problems?.values.name}
            onInput={(event) => followName(event.currentTarget.value)}
            className={getInputClass(problems?.fields.name)}
          />
        )}
      </FieldFrame>
      <div>
        <FieldFrame
          label="Trigger key"
          hint="Used in API calls. It cannot be changed later. a-z, 0-9 and _ only."
          problem={problems?.fields.key}
        >
          {(control) => (
            <input
              {...control}
              aria-describedby={`${control["aria-describedby"]} ${previewId}`}
              ref={keyField}
              name="key"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              defaultValue={problems?.values.key}
              onInput={(event) => {
                const { value } = event.currentTarget;
                isOwnKey.current = value !== "";
                setTypedKey(value);
              }}
              className={`${getInputClass(problems?.fields.key)} font-mono`}
            />
          )}
        </FieldFrame>
        {typedKey !== null && <KeyPreview id={previewId} typed={typedKey} />}
      </div>
      <TriggerPointsFields problems={problems} />
      <TriggerCapFields problems={problems} timeZones={timeZones} />
    </>
  );
}

function KeyPreview({ id, typed }: { id: string; typed: string }) {
  const key = sanitizeTriggerKey(typed);
  return (
    <p id={id} className="mt-2 flex min-h-6 gap-x-2 text-sm">
      <span className="shrink-0 text-ink-muted">Saved as</span>
      {key === "" ? (
        <span className="text-ink-muted">nothing yet</span>
      ) : (
        <code className="min-w-0 break-all font-mono text-[0.8125rem] leading-6">{key}</code>
      )}
    </p>
  );
}
