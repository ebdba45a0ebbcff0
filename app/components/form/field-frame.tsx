import { type ReactNode, useId } from "react";

/** The texts that every field has. */
export interface FieldText {
  label: ReactNode;
  hint?: ReactNode;
  problem?: string | undefined;
  isOptional?: boolean;
  /** Whether the field may be empty and is not marked as optional: a filter, or one of two ways. */
  isUnmarked?: boolean;
}

interface ControlProps {
  id: string;
  required: boolean;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

/** Returns the classes of a field's box. */
export function getInputClass(problem: string | undefined): string {
  return `block min-h-10 w-full rounded-lg border bg-raised px-3 text-base text-ink shadow-sm placeholder:text-ink-muted sm:text-sm ${
    problem ? "border-danger" : "border-field"
  }`;
}

/** Frames a field: its label, the control, and its hint or its problem beneath. */
export function FieldFrame({
  label,
  hint,
  problem,
  isOptional = false,
  isUnmarked = false,
  children,
}: FieldText & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const hasNote = Boolean(problem ?? hint);
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
        {isOptional && <Optional />}
      </label>
      <div className="relative mt-1.5">
        {children({
          id,
          required: !isOptional && !isUnmarked,
          "aria-invalid": problem ? true : undefined,
          "aria-describedby": hasNote ? `${id}-note` : undefined,
        })}
      </div>
      <FieldNote id={`${id}-note`} hint={hint} problem={problem} />
    </div>
  );
}

/** Frames several controls that answer one question. */
export function GroupFrame({
  label,
  hint,
  problem,
  isOptional = false,
  children,
}: FieldText & { children: ReactNode }) {
  const id = useId();
  const hasNote = Boolean(problem ?? hint);
  return (
    // A form moves the focus here when the group has a problem.
    <fieldset
      tabIndex={-1}
      data-invalid={problem ? true : undefined}
      aria-describedby={hasNote ? `${id}-note` : undefined}
      className="min-w-0 rounded-lg"
    >
      <legend className="text-sm font-medium">
        {label}
        {isOptional && <Optional />}
      </legend>
      <div className="mt-1.5 space-y-1">{children}</div>
      <FieldNote id={`${id}-note`} hint={hint} problem={problem} />
    </fieldset>
  );
}

/** Shows the hint of a field, or the problem in its place. */
function FieldNote({
  id,
  hint,
  problem,
}: {
  id: string;
  hint: ReactNode;
  problem: string | undefined;
}) {
  const note = problem ?? hint;
  if (!note) return null;
  return (
    <p id={id} className={`mt-1.5 text-sm ${problem ? "text-danger" : "text-ink-muted"}`}>
      {note}
    </p>
  );
}

function Optional() {
  return <span className="font-normal text-ink-muted"> (optional)</span>;
}
