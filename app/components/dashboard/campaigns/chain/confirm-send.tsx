import { type ReactNode, useState } from "react";
import { Field } from "../../../form/field";
import { Button, type ButtonVariant } from "../../../ui/button";
import { Dialog, DialogCancel } from "../../../ui/dialog";

/** Asks for confirmation before an irreversible transaction is sent, and explains its effect. */
export function ConfirmSend({
  label,
  title,
  text,
  confirmLabel,
  variant = "primary",
  requireText,
  isBusy,
  onConfirm,
  children,
}: {
  label: string;
  title: string;
  text: ReactNode;
  confirmLabel: string;
  variant?: ButtonVariant;
  /** The text that has to be typed. */
  requireText?: string;
  isBusy: boolean;
  /** @returns the problem of each field, by its name; undefined when the transaction is sent */
  onConfirm: (fields: FormData) => Readonly<Record<string, string>> | undefined;
  children?: (problems: Readonly<Record<string, string>>) => ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  return (
    <Dialog
      trigger={
        <Button variant={variant === "danger" ? "quiet" : variant} size="small" isBusy={isBusy}>
          {label}
        </Button>
      }
      title={title}
      description={text}
      isOpen={isOpen}
      onOpenChange={(next) => {
        setIsOpen(next && !isBusy);
        setProblems({});
      }}
    >
      <form
        noValidate
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const isTyped = requireText === undefined || fields.get("confirmation") === requireText;
          const found = isTyped
            ? onConfirm(fields)
            : { confirmation: `Type “${requireText}” to confirm.` };
          setProblems(found ?? {});
          if (!found) setIsOpen(false);
        }}
      >
        {children?.(problems)}
        {requireText !== undefined && (
          <Field
            label={`Type “${requireText}” to confirm`}
            name="confirmation"
            autoComplete="off"
            spellCheck={false}
            problem={problems.confirmation}
          />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <DialogCancel verb={confirmLabel} />
          <Button type="submit" variant={variant === "quiet" ? "primary" : variant}>
            {confirmLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
