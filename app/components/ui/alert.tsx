import type { ReactNode } from "react";

const LOOKS = {
  danger: "border-danger/40 bg-danger/10 text-danger",
  warning: "border-warning/40 bg-warning/10",
};

/**
 * Shows an error message, to which a form moves the focus.
 * @param props.tone `warning` for something to look at before one goes on
 */
export function Alert({
  children,
  tone = "danger",
}: {
  children: ReactNode;
  tone?: keyof typeof LOOKS;
}) {
  return (
    <div
      role={tone === "danger" ? "alert" : "status"}
      tabIndex={-1}
      className={`rounded-lg border px-4 py-3 text-sm focus-visible:outline-offset-2 ${LOOKS[tone]}`}
    >
      {children}
    </div>
  );
}
