import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Form } from "../form/form";
import type { FormProblems } from "../form/problems";
import { useIsSubmitting } from "../form/use-is-submitting";
import { useIsHydrated } from "../hooks/use-is-hydrated";
import { Button, type ButtonSize, type ButtonVariant, getButtonClass } from "../ui/button";
import { Dialog, DialogCancel } from "../ui/dialog";
import { getItemClass } from "../ui/menu";
import { Field } from "./field";
import { fieldOf } from "./problems";

const NO_FIELDS = {};

export interface ConfirmFormProps {
  intent: string;
  /** The label of the button that opens the question. */
  label: ReactNode;
  heading: string;
  text: ReactNode;
  /** The label of the button that confirms. */
  confirmLabel: string;
  fields?: Readonly<Record<string, string>>;
  /** The look of the button that opens the question. */
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Whether the button is a line of a menu. */
  isInMenu?: boolean;
  confirmVariant?: ButtonVariant;
  /** The text that has to be typed, as the field `confirmation`, which the server compares. */
  requireText?: string;
  problems?: FormProblems | undefined;
  /** More fields to fill in. */
  children?: ReactNode;
}

/** Asks for confirmation before an irreversible step is posted, without JavaScript too. */
export function ConfirmForm({
  intent,
  label,
  heading,
  text,
  confirmLabel,
  fields = NO_FIELDS,
  variant = "quiet",
  size = "normal",
  isInMenu = false,
  confirmVariant = "danger",
  requireText,
  problems,
  children,
}: ConfirmFormProps) {
  const isHydrated = useIsHydrated();
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setIsOpen] = useIsAsking(intent, fields, problems, details);
  const form = (
    <Form
      intent={intent}
      fields={fields}
      problems={problems}
      submitLabel={confirmLabel}
      submitVariant={confirmVariant}
      aside={isHydrated && <DialogCancel verb={confirmLabel} />}
    >
      {children}
      {requireText !== undefined && (
        <Field
          label={`Type “${requireText}” to confirm`}
          {...fieldOf(problems, "confirmation")}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Form>
  );
  if (!isHydrated) {
    return (
      <details ref={details} open={problems !== undefined}>
        <summary
          className={`cursor-pointer list-none ${isInMenu ? getItemClass() : getButtonClass(variant, size)}`}
        >
          {label}
        </summary>
        <div className="mt-3 max-w-lg rounded-lg border border-line p-4 text-left text-sm">
          <p className="font-medium">{heading}</p>
          <div className="mb-4 mt-1 text-ink-muted">{text}</div>
          {form}
        </div>
      </details>
    );
  }
  return (
    <Dialog
      trigger={
        isInMenu ? (
          <button type="button" className={getItemClass()}>
            {label}
          </button>
        ) : (
          <Button variant={variant} size={size}>
            {label}
          </Button>
        )
      }
      title={heading}
      description={text}
      isOpen={isOpen}
      onOpenChange={setIsOpen}
    >
      {form}
    </Dialog>
  );
}

/**
 * Returns whether the question is open, with its setter. It stays open after an answer with
 * problems, and closes after one without. One that was opened before the scripts ran stays open.
 */
function useIsAsking(
  intent: string,
  fields: Readonly<Record<string, string>>,
  problems: FormProblems | undefined,
  details: RefObject<HTMLDetailsElement>,
) {
  const [isOpen, setIsOpen] = useState(problems !== undefined);
  const isSubmitting = useIsSubmitting(intent, fields);
  const wasSubmitting = useRef(false);
  useEffect(() => {
    if (details.current?.open) setIsOpen(true);
  }, [details]);
  useEffect(() => {
    if (wasSubmitting.current && !isSubmitting && !problems) setIsOpen(false);
    wasSubmitting.current = isSubmitting;
  }, [isSubmitting, problems]);
  return [isOpen, setIsOpen] as const;
}
