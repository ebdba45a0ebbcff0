import { type InputHTMLAttributes, useId, useState } from "react";
import { useIsHydrated } from "../use-is-hydrated";

interface FieldProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    "name" | "type" | "autoComplete" | "defaultValue" | "maxLength" | "inputMode"
  > {
  name: string;
  label: string;
  hint?: string;
  problem?: string | undefined;
}

const INPUT =
  "block min-h-10 w-full rounded-lg border bg-raised px-3 text-base text-ink shadow-sm sm:text-sm";

/** A labelled text field, its hint or its problem beside it. A password can be looked at. */
export function Field({ label, hint, problem, type = "text", ...input }: FieldProps) {
  const id = useId();
  const isHydrated = useIsHydrated();
  const [isShown, setIsShown] = useState(false);
  const isPassword = type === "password";
  const note = problem ?? hint;
  return (
    <div>
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      <div className="relative mt-1.5">
        <input
          id={id}
          type={isPassword && isShown ? "text" : type}
          required
          aria-invalid={problem ? true : undefined}
          aria-describedby={note && `${id}-note`}
          className={`${INPUT} ${problem ? "border-danger" : "border-field"} ${isPassword ? "pr-16" : ""}`}
          {...input}
        />
        {isPassword && isHydrated && (
          <button
            type="button"
            aria-label={isShown ? "Hide password" : "Show password"}
            onClick={() => setIsShown(!isShown)}
            className="absolute inset-y-1 right-1 rounded-md px-2.5 text-xs font-medium text-ink-muted hover:text-ink"
          >
            {isShown ? "Hide" : "Show"}
          </button>
        )}
      </div>
      {note && (
        <p
          id={`${id}-note`}
          className={`mt-1.5 text-sm ${problem ? "text-danger" : "text-ink-muted"}`}
        >
          {note}
        </p>
      )}
    </div>
  );
}
