import { type InputHTMLAttributes, useState } from "react";
import { FieldFrame, type FieldText, getInputClass } from "../form/field-frame";
import { useIsHydrated } from "../hooks/use-is-hydrated";

interface FieldProps
  extends FieldText,
    Pick<
      InputHTMLAttributes<HTMLInputElement>,
      | "type"
      | "autoComplete"
      | "defaultValue"
      | "maxLength"
      | "inputMode"
      | "readOnly"
      | "placeholder"
      | "autoFocus"
      | "list"
      | "min"
      | "max"
      | "spellCheck"
    > {
  name: string;
}

/** Shows a labelled text field, with its hint or its problem. A password can be made visible. */
export function Field({
  label,
  hint,
  problem,
  isOptional = false,
  isUnmarked = false,
  type = "text",
  ...input
}: FieldProps) {
  const isHydrated = useIsHydrated();
  const [isShown, setIsShown] = useState(false);
  const isPassword = type === "password";
  return (
    <FieldFrame
      label={label}
      hint={hint}
      problem={problem}
      isOptional={isOptional}
      isUnmarked={isUnmarked}
    >
      {(control) => (
        <>
          <input
            {...control}
            type={isPassword && isShown ? "text" : type}
            className={`${getInputClass(problem)} read-only:bg-sunken ${isPassword ? "pr-16" : ""}`}
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
        </>
      )}
    </FieldFrame>
  );
}
