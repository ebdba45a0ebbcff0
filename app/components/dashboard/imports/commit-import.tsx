import { ConfirmForm } from "../../form/confirm-form";
import { NoteField } from "../../form/note-field";
import type { FormProblems } from "../../form/problems";
import { Count } from "../../ui/local";

/**
 * Asks for confirmation before an import is committed. The figures that the operator saw are sent
 * along, with the digest of the credits: exactly these are credited.
 */
export function CommitImport({
  fileName,
  wallets,
  points,
  digest,
  problemRows,
  problems,
}: {
  fileName: string;
  wallets: number;
  points: number;
  digest: string;
  problemRows: number;
  problems: FormProblems | undefined;
}) {
  return (
    <ConfirmForm
      intent="commit"
      label="Commit the import"
      variant="primary"
      confirmVariant="primary"
      heading={`Commit ${fileName}?`}
      text={
        <>
          <Count value={points} /> points are credited to <Count value={wallets} />{" "}
          {wallets === 1 ? "wallet" : "wallets"}.{" "}
          {problemRows > 0 && (
            <>
              <Count value={problemRows} /> {problemRows === 1 ? "row" : "rows"} with errors{" "}
              {problemRows === 1 ? "is" : "are"} left out.
            </>
          )}
        </>
      }
      confirmLabel="Commit the import"
      fields={{ wallets: String(wallets), points: String(points), digest }}
      problems={problems}
    >
      <NoteField
        hint={`Shown on each event instead of “Import ${fileName}”.`}
        problems={problems}
      />
    </ConfirmForm>
  );
}
