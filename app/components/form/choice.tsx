import { type ReactNode, useId } from "react";

/** Shows a checkbox or a radio button, with its label at its right. */
export function Choice({
  type,
  name,
  value,
  label,
  hint,
  isChecked = false,
}: {
  type: "checkbox" | "radio";
  name: string;
  value: string;
  label: ReactNode;
  hint?: ReactNode;
  isChecked?: boolean;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5 py-1">
      <input
        id={id}
        type={type}
        name={name}
        value={value}
        defaultChecked={isChecked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-4 shrink-0 accent-[rgb(var(--color-accent))]"
      />
      <div className="min-w-0 text-sm">
        <label htmlFor={id} className="-my-1 block break-words py-1">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-ink-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
