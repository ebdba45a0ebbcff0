import { Form as RemixForm, useNavigation } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import type { FormProblems } from "./problems";

/**
 * A form that posts to its own page, with or without JavaScript. With it, the first field that has
 * a problem gets the focus, or the message about the whole form.
 */
export function Form({
  problems,
  submitLabel,
  children,
}: {
  problems: FormProblems | undefined;
  submitLabel: string;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useNavigation().formMethod === "POST";
  useEffect(() => {
    if (!problems) return;
    const place = form.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]");
    place?.focus();
  }, [problems]);
  return (
    // The browser's own bubbles would come instead of the messages beside the fields.
    <RemixForm ref={form} method="post" noValidate className="space-y-5">
      {problems?.form && <Alert>{problems.form}</Alert>}
      {children}
      <Button type="submit" isBusy={isBusy} className="w-full">
        {submitLabel}
      </Button>
    </RemixForm>
  );
}
