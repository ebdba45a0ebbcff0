import * as Dialog from "@radix-ui/react-dialog";
import { useLocation, useNavigate, useSubmit } from "@remix-run/react";
import { Command, defaultFilter, useCommandState } from "cmdk";
import { type ReactNode, useState } from "react";
import { parseAddress, shortenAddress } from "../../../domain/address";
import { Count } from "../../ui/local";
import { listCommands, type PaletteProps } from "./palette-commands";

import { getSectionPath } from "./sections";
import { useFound } from "./use-found";

const GROUP_CLASS =
  "px-2 pb-2 [&_[cmdk-group-heading]]:truncate [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-muted";

/**
 * Finds any page, point system, action, trigger and wallet by a few typed characters.
 * @param props.opener the element that gets the focus back
 */
export default function CommandPalette({
  opener,
  onClose,
  ...props
}: PaletteProps & { opener: HTMLElement | null; onClose: () => void }) {
  const { currentId } = props;
  const navigate = useNavigate();
  const submit = useSubmit();
  const { pathname } = useLocation();
  const [typed, setTyped] = useState("");
  const text = typed.trim();
  const address = parseAddress(text);
  const found = useFound(address === null ? currentId : null, text);

  function run(to: string | undefined) {
    onClose();
    if (to === undefined) submit(null, { method: "post", action: "/sign-out" });
    else navigate(to);
  }
  /** Renders a result of the search, which the palette's own filter always lets through. */
  const renderFound = (id: string, to: string, label: ReactNode) => (
    <Item key={id} id={id} keywords={[text]} onSelect={() => run(to)}>
      {label}
    </Item>
  );

  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-black/50" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            opener?.focus();
          }}
          className="fixed left-1/2 top-[max(1rem,12dvh)] z-20 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-raised text-sm shadow-lg"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Command label="Search" loop filter={filterByWords}>
            <Command.Input
              value={typed}
              onValueChange={setTyped}
              placeholder={currentId ? "A page, an action, a wallet’s 0x…" : "A page or an action"}
              className="block min-h-12 w-full border-b border-line bg-raised px-5 text-base text-ink -outline-offset-2 placeholder:text-ink-muted sm:text-sm"
            />
            <Command.List
              label="Results"
              className="max-h-[min(26rem,70dvh)] overflow-y-auto overscroll-contain pt-2"
            >
              {currentId && (address || found.wallets.length > 0) && (
                <Command.Group heading="Wallets" className={GROUP_CLASS}>
                  {address &&
                    renderFound(
                      `wallet ${address}`,
                      getSectionPath(currentId, `wallets/${address}`),
                      <>Go to wallet {shortenAddress(address)}</>,
                    )}
                  {found.wallets.map((wallet) =>
                    renderFound(
                      `wallet ${wallet.address}`,
                      getSectionPath(currentId, `wallets/${wallet.address}`),
                      <>
                        <span className="min-w-0 flex-1 truncate font-mono text-[0.8125rem]">
                          {wallet.address}
                        </span>
                        <span className="tabular-nums text-ink-muted">
                          <Count value={wallet.points} />
                        </span>
                      </>,
                    ),
                  )}
                </Command.Group>
              )}
              {currentId && found.triggers.length > 0 && (
                <Command.Group heading="Triggers" className={GROUP_CLASS}>
                  {found.triggers.map(({ key, name }) =>
                    renderFound(
                      `trigger ${key}`,
                      getSectionPath(currentId, `triggers/${key}`),
                      <>
                        <span className="min-w-0 truncate">{name}</span>
                        <span className="min-w-0 truncate font-mono text-xs text-ink-muted">
                          {key}
                        </span>
                      </>,
                    ),
                  )}
                </Command.Group>
              )}
              {listCommands(props, pathname).map(({ heading, commands }) => (
                <Command.Group key={heading} heading={heading} className={GROUP_CLASS}>
                  {commands.map(({ id, label, keywords = [], to }) => (
                    <Item key={id} id={id} keywords={[label, ...keywords]} onSelect={() => run(to)}>
                      <span className="min-w-0 truncate">{label}</span>
                    </Item>
                  ))}
                </Command.Group>
              ))}
            </Command.List>
            <NoMatch />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/**
 * Shows that nothing matches. It is beside the list, since a list of options may contain only
 * options.
 */
function NoMatch() {
  const isEmpty = useCommandState(({ filtered }) => filtered.count === 0);
  return (
    <p role="status" className={isEmpty ? "px-5 pb-6 pt-4 text-center text-ink-muted" : ""}>
      {isEmpty && "Nothing matches"}
    </p>
  );
}

/** Filters by the words that people read: ids are full of digits that match by chance. */
function filterByWords(_id: string, typed: string, words: string[] = []): number {
  return defaultFilter(words.join(" "), typed);
}

function Item({
  id,
  keywords,
  onSelect,
  children,
}: {
  id: string;
  keywords: string[];
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Command.Item
      value={id}
      keywords={keywords}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 data-[selected=true]:bg-sunken"
    >
      {children}
    </Command.Item>
  );
}
