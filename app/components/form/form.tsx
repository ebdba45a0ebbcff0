import { Form as RemixForm } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { Alert } from "../ui/alert";
import { Button, type ButtonVariant } from "../ui/button";
import type { FormProblems } from "./problems";
import { useIsSubmitting } from "./use-is-submitting";

const LAYOUTS = {
  stack: "space-y-5",
  inline: "flex flex-wrap items-end gap-3",
} as const;

export interface FormProps {
  problems: FormProblems | undefined;
  submitLabel: string;
  submitVariant?: ButtonVariant;
  /** Which of the page's forms it is; none when the page has one. */
  intent?: string;
  /** What is posted with it, unseen. */
  fields?: Readonly<Record<string, string>>;
  layout?: keyof typeof LAYOUTS;
  /** The button takes the whole width. */
  isWide?: boolean;
  encType?: "application/x-www-form-urlencoded" | "multipart/form-data";
  children?: ReactNode;
}

/**
 * A form that posts to its own page, with or without JavaScript. With it, the first field that has
 * a problem gets the focus, or the message about the whole form.
 */
export function Form({
  problems,
  submitLabel,
  submitVariant = "primary",
  intent = "",
  fields = {},
  layout = "stack",
  isWide = layout === "stack",
  encType = "application/x-www-form-urlencoded",
  children,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useIsSubmitting(intent, fields);
  useEffect(() => {
    if (!problems) return;
    const place = form.current?.querySelector<HTMLElement>(
      "[aria-invalid=true], [data-invalid], [role=alert]",
    );
    place?.focus();
  }, [problems]);
  return (
    // The browser's own bubbles would come instead of the messages beside the fields.
    <RemixForm ref={form} method="post" noValidate encType={encType} className={LAYOUTS[layout]}>
      {intent && <input type="hidden" hidden name="intent" value={intent} />}
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" hidden name={name} value={value} />
      ))}
      {problems?.form && (
        <div className="basis-full">
          <Alert>{problems.form}</Alert>
        </div>
      )}
      {children}
      <Button
        type="submit"
        variant={submitVariant}
        isBusy={isBusy}
        className={isWide ? "w-full" : ""}
      >
        {submitLabel}
      </Button>
    </RemixForm>
  );
}
