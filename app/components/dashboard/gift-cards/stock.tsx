import type { CountedPoints } from "../../../domain/rewards/counted-points";
import { ConfirmForm } from "../../form/confirm-form";
import type { FormProblems } from "../../form/problems";
import { ButtonLink } from "../../ui/button-link";
import { Card } from "../../ui/card";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";
import { PointsCountedFact } from "../rewards/points-counted";

interface TierStock {
  label: string;
  minPoints: number | null;
  inPool: number;
  assigned: number;
  revealed: number;
}

/**
 * Shows the tiers of a gift card reward and their stock, in numbers: codes are never shown.
 * @param props.codesHref the page that adds codes; null when the reader may not, or when it is too
 *   late
 * @param props.findRemovalProblems finds the problems of a tier's removal form
 */
export function GiftCardStock({
  tiers,
  points,
  codesHref,
  editHref,
  canRemove,
  findRemovalProblems,
}: {
  tiers: readonly TierStock[];
  points: CountedPoints;
  codesHref: string | null;
  editHref: string | null;
  canRemove: boolean;
  findRemovalProblems: (tier: string) => FormProblems | undefined;
}) {
  const columns: DataColumn<TierStock>[] = [
    { label: "Tier", isFlexible: true, cell: ({ label }) => <span title={label}>{label}</span> },
    {
      label: "From points",
      align: "end",
      cell: ({ minPoints }) => (minPoints === null ? "–" : <Count value={minPoints} />),
    },
    { label: "In pool", align: "end", cell: ({ inPool }) => <Count value={inPool} /> },
    { label: "Assigned", align: "end", cell: ({ assigned }) => <Count value={assigned} /> },
    {
      label: "Revealed",
      align: "end",
      cell: ({ revealed }) => <Count value={revealed} />,
    },
  ];
  const removable = tiers.filter(({ inPool }) => inPool > 0);
  return (
    <>
      <Card
        heading="Tiers and stock"
        aside={
          editHref && (
            <ButtonLink to={editHref} variant="quiet" size="small">
              Edit the draft
            </ButtonLink>
          )
        }
      >
        <dl className="border-line border-b px-4 py-3 text-sm sm:px-5">
          <PointsCountedFact points={points} />
        </dl>
        <DataTable
          label="Tiers"
          columns={columns}
          rows={tiers}
          getRowId={({ label }) => label}
          emptyState={
            <EmptyState heading="No tiers">A reward without tiers has no cards.</EmptyState>
          }
        />
      </Card>
      {codesHref && (
        <Card heading="Codes">
          <div className="space-y-3 p-4 text-sm sm:p-5">
            <p className="max-w-prose text-ink-muted">
              Codes are encrypted when you add them. Only the holder of a card can see its code, on
              the claim page, after signing with the wallet.
            </p>
            <ButtonLink to={codesHref}>Add codes</ButtonLink>
          </div>
        </Card>
      )}
      {canRemove && removable.length > 0 && (
        <Card heading="Remove codes">
          <ul className="divide-y divide-line">
            {removable.map(({ label, inPool }) => (
              <li
                key={label}
                className="flex flex-wrap items-center justify-between gap-3 px-4 py-3 text-sm sm:px-5"
              >
                <span className="min-w-0 break-words">
                  {label}: <Count value={inPool} /> in the pool
                </span>
                <ConfirmForm
                  intent="removeCodes"
                  fields={{ tier: label }}
                  label="Remove"
                  size="small"
                  heading={`Remove the codes of ${label}?`}
                  text="Unassigned codes are deleted and cannot be restored. Assigned cards stay."
                  confirmLabel="Remove the codes"
                  problems={findRemovalProblems(label)}
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
