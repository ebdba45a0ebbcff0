import { Form as RemixForm } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { Alert } from "../ui/alert";
import { Button, type ButtonVariant } from "../ui/button";
import { ConfirmField } from "./confirm-field";
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
  /** The form's name among the page's forms; none when the page has only one. */
  intent?: string;
  /** Its id, for controls that stand elsewhere on the page. */
  id?: string;
  /** Hidden fields that are posted as well. */
  fields?: Readonly<Record<string, string>>;
  layout?: keyof typeof LAYOUTS;
  /** Whether the button takes the whole width: the one form of a narrow page. */
  isWide?: boolean;
  /** A button before the one that submits. */
  aside?: ReactNode;
  encType?: "application/x-www-form-urlencoded" | "multipart/form-data";
  children?: ReactNode;
}

/**
 * Posts to its own page, with or without JavaScript. With JavaScript, the focus moves to the first
 * field that has a problem, or to the message about the whole form.
 */
export function Form({
  problems,
  submitLabel,
  submitVariant = "primary",
  intent = "",
  id,
  fields = {},
  layout = "stack",
  isWide = false,
  aside,
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
    // Without `noValidate` the browser's own messages would replace those beside the fields.
    <RemixForm
      ref={form}
      id={id}
      method="post"
      noValidate
      encType={encType}
      className={LAYOUTS[layout]}
    >
      {intent && <input type="hidden" hidden name="intent" value={intent} />}
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" hidden name={name} value={value} />
      ))}
      {problems?.form && (
        <div className="basis-full">
          <Alert>
            {problems.form}
            {problems.isSignedOut && <SignInAgain />}
          </Alert>
        </div>
      )}
      {children}
      <ConfirmField problems={problems} />
      <div className={aside ? "flex flex-wrap justify-end gap-2" : isWide ? "grid" : ""}>
        {aside}
        <Button type="submit" variant={submitVariant} isBusy={isBusy}>
          {submitLabel}
        </Button>
      </div>
    </RemixForm>
  );
}

/** Leads to the sign-in page in a new tab, so that what was typed stays in this one. */
function SignInAgain() {
  return (
    <>
      {" "}
      <a href="/sign-in" target="_blank" rel="noreferrer" className="underline">
        Sign in in a new tab
      </a>
      , then send the form again here.
    </>
  );
}
