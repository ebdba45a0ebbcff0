import { type ButtonHTMLAttributes, forwardRef } from "react";

const VARIANTS = {
  primary: "bg-fill text-on-fill hover:bg-fill-strong",
  quiet: "border border-line bg-raised text-ink hover:bg-sunken",
  danger: "bg-danger text-on-danger hover:bg-danger-strong",
} as const;

const SIZES = {
  normal: "min-h-10 px-4 text-sm",
  small: "min-h-8 px-3 text-[0.8125rem]",
} as const;

export type ButtonVariant = keyof typeof VARIANTS;
export type ButtonSize = keyof typeof SIZES;

/** Returns the classes of a button, for links that look like one. */
export function getButtonClass(
  variant: ButtonVariant = "primary",
  size: ButtonSize = "normal",
): string {
  return `inline-flex items-center justify-center gap-2 rounded-lg font-medium motion-safe:transition-colors ${SIZES[size]} ${VARIANTS[variant]}`;
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Whether its action is under way: it keeps its place and takes no second press. */
  isBusy?: boolean;
}

/** A button. Elements that open beneath or over it find it by its reference. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { variant, size, isBusy = false, className = "", ...button },
  ref,
) {
  return (
    <button
      ref={ref}
      type="button"
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : undefined}
      {...button}
      className={`${getButtonClass(variant, size)} ${isBusy ? "cursor-progress opacity-70" : ""} ${className}`}
    />
  );
});
