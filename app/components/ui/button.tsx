import type { ButtonHTMLAttributes } from "react";

const VARIANTS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  quiet: "border border-line bg-raised text-ink hover:bg-sunken",
} as const;

/** What a button looks like, for links that act like one. */
export function getButtonClass(variant: keyof typeof VARIANTS = "primary"): string {
  return `inline-flex min-h-10 items-center justify-center gap-2 rounded-lg px-4 text-sm font-medium motion-safe:transition-colors ${VARIANTS[variant]}`;
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: keyof typeof VARIANTS;
  /** Under way: it stays where it is and takes no second press. */
  isBusy?: boolean;
}

export function Button({ variant, isBusy = false, className = "", ...button }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : undefined}
      {...button}
      className={`${getButtonClass(variant)} ${isBusy ? "cursor-progress opacity-70" : ""} ${className}`}
    />
  );
}
