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
  /** Stands before the text in the field, such as the beginning of an address. */
  prefix?: string;
}

/** Shows a labelled text field, with its hint or its problem. A password can be made visible. */
export function Field({
  label,
  hint,
  problem,
  isOptional = false,
  isUnmarked = false,
  type = "text",
  prefix,
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
        <div className={prefix && "flex"}>
          {prefix && (
            <span
              title={prefix}
              className="flex min-w-0 max-w-[60%] shrink items-center rounded-l-lg border border-r-0 border-field bg-sunken px-3 text-sm text-ink-muted"
            >
              <span className="truncate [direction:rtl]">
                <bdi>{prefix}</bdi>
              </span>
            </span>
          )}
          <input
            {...control}
            type={isPassword && isShown ? "text" : type}
            className={`${getInputClass(problem)} read-only:bg-sunken ${isPassword ? "pr-16" : ""} ${prefix ? "min-w-0 flex-1 rounded-l-none" : ""}`}
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
      )}
    </FieldFrame>
  );
}
