import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Button } from "./button";
import { closeMenuOf, focusOpenerOf } from "./menu";

/**
 * Shows a window over the page. It opens from its trigger, which needs JavaScript. A trigger in a menu
 * closes the menu, and the focus returns to the menu's button.
 */
export function Dialog({
  trigger,
  title,
  description,
  isOpen,
  onOpenChange,
  children,
}: {
  trigger: ReactNode;
  title: string;
  description?: ReactNode;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  children: ReactNode;
}) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild ref={opener}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 bg-black/50" />
        <Radix.Content
          {...(!description && { "aria-describedby": undefined })}
          onOpenAutoFocus={() => closeMenuOf(opener.current)}
          onCloseAutoFocus={(event) => {
            if (focusOpenerOf(opener.current)) event.preventDefault();
          }}
          className="fixed left-1/2 top-1/2 z-20 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-raised p-5 text-sm shadow-lg sm:p-6"
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="min-w-0 break-words text-lg font-semibold tracking-tight">
              {title}
            </Radix.Title>
            <Radix.Close
              aria-label="Close"
              className="-mr-1.5 -mt-1 inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-muted hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </Radix.Close>
          </div>
          {description && (
            <Radix.Description asChild>
              <div className="mt-2 break-words text-ink-muted">{description}</div>
            </Radix.Description>
          )}
          <div className="mt-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * Shows the button of a dialog that changes nothing and closes it.
 * @param props.verb the label of the button beside it; one that cancels something has “Back” here
 */
export function DialogCancel({ verb }: { verb: string }) {
  return (
    <Radix.Close asChild>
      <Button variant="quiet">{verb.startsWith("Cancel") ? "Back" : "Cancel"}</Button>
    </Radix.Close>
  );
}
