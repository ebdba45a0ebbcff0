import { WALLETS_OF_HOLDER_MAX } from "../../../domain/wallet-links/wallet-link";
import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { type FormProblems, fieldOf } from "../../form/problems";
import { Address } from "../../ui/address";
import { Day } from "../../ui/local";

interface WalletLinksProps {
  address: string;
  pointSystemId: string;
  /** The wallet's own link, or those to it. */
  links: readonly {
    address: string;
    primaryAddress: string;
    linkedAt: Date;
    operator: string | null;
    isByHolder: boolean;
  }[];
  canWrite: boolean;
  isBlacklisted: boolean;
  findProblems: (intent: string) => FormProblems | undefined;
}

/** Lists the wallets of one holder, and links and unlinks them. */
export function WalletLinks(props: WalletLinksProps) {
  const { address, pointSystemId, links, canWrite, isBlacklisted, findProblems } = props;
  const unlink = findProblems("unlink");
  const isLinked = links.some((link) => link.address === address);
  return (
    <div className="space-y-4 p-4 text-sm sm:p-5">
      {links.length === 0 ? (
        <p className="text-ink-muted">This wallet counts for itself, and no other counts for it.</p>
      ) : (
        <>
          <p>
            {isLinked
              ? "This wallet counts for its primary wallet, whose points are shown here:"
              : "These wallets count for this one:"}
          </p>
          <ul className="space-y-3">
            {links.map((link) => (
              <li key={link.address} className="space-y-1">
                <Address
                  address={isLinked ? link.primaryAddress : link.address}
                  to={`/dashboard/${pointSystemId}/wallets/${isLinked ? link.primaryAddress : link.address}`}
                />
                <p className="text-xs text-ink-muted">
                  Since <Day date={link.linkedAt} />
                  {link.isByHolder
                    ? ", with the signatures of both wallets"
                    : link.operator && `, by ${link.operator}`}
                </p>
                {canWrite && (
                  <ConfirmForm
                    intent="unlink"
                    fields={{ address: link.address }}
                    label="Unlink"
                    size="small"
                    heading="Unlink this wallet?"
                    text="Its next credits are its own again. The points that moved to the primary wallet stay there."
                    confirmLabel="Unlink the wallet"
                    problems={unlink?.values.address === link.address ? unlink : undefined}
                  />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {canWrite && links.length === 0 && !isBlacklisted && (
        <LinkForm problems={findProblems("link")} />
      )}
    </div>
  );
}

/** Links the page's wallet to a primary one. */
function LinkForm({ problems }: { problems: FormProblems | undefined }) {
  return (
    <ConfirmForm
      intent="link"
      label="Link to a primary wallet"
      size="small"
      heading="Link this wallet to a primary one?"
      text={`All its points move to the primary wallet, and so does what is credited to it from now on. It leaves the leaderboard. Unlinking moves nothing back. A holder can have ${WALLETS_OF_HOLDER_MAX} wallets.`}
      confirmLabel="Link the wallet"
      problems={problems}
    >
      <Field
        label="Primary wallet"
        {...fieldOf(problems, "primaryAddress")}
        autoComplete="off"
        spellCheck={false}
        placeholder="0x…"
      />
    </ConfirmForm>
  );
}
