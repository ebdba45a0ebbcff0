import { Form as PlainForm } from "@remix-run/react";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Day } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

interface Wallet {
  address: string;
  amountWei: bigint;
  claimedAt: Date | null;
  payoutReference: string | null;
}

const SELECTION = "payouts";

/** Lists the wallets that a campaign pays by hand, with a form that marks them as paid. */
export function PayoutTable({
  wallets,
  token,
  base,
  canPay,
  problems,
}: {
  wallets: readonly Wallet[];
  token: { tokenDecimals: number; tokenSymbol: string };
  /** The path beneath which the wallets have their pages. */
  base: string;
  canPay: boolean;
  problems: FormProblems | undefined;
}) {
  const columns: DataColumn<Wallet>[] = [
    {
      label: "Wallet",
      isFlexible: true,
      cell: ({ address, payoutReference }) => (
        <>
          <Address address={address} to={`${base}/${address}`} />
          {payoutReference && (
            <div title={payoutReference} className="truncate text-xs text-ink-muted">
              {payoutReference}
            </div>
          )}
        </>
      ),
    },
    {
      label: "Amount",
      align: "end",
      cell: ({ amountWei }) => <TokenAmount amountWei={amountWei} token={token} />,
    },
    {
      label: "State",
      cell: ({ claimedAt }) =>
        claimedAt ? (
          <span className="flex flex-wrap items-center gap-x-2">
            <Badge tone="success">Paid</Badge>
            <span className="text-xs text-ink-muted">
              <Day date={claimedAt} />
            </span>
          </span>
        ) : (
          <Badge>To be paid</Badge>
        ),
    },
  ];
  if (canPay) {
    columns.unshift({
      label: "Select",
      cell: ({ address }) => (
        <input
          type="checkbox"
          form={SELECTION}
          name="addresses"
          value={address}
          defaultChecked={problems?.lists.addresses?.includes(address)}
          aria-label={`Select ${address}`}
          className="block size-6 accent-[rgb(var(--color-accent))]"
        />
      ),
    });
    columns.push({
      label: "Undo",
      align: "end",
      cell: ({ address, payoutReference }) =>
        payoutReference !== null && <UndoForm address={address} />,
    });
  }
  return (
    <>
      <DataTable
        label="Payouts"
        columns={columns}
        rows={wallets}
        getRowId={({ address }) => address}
        emptyState={
          <EmptyState heading="No wallet has a share yet">
            They appear here when the split is built.
          </EmptyState>
        }
      />
      {canPay && wallets.length > 0 && (
        <div className="border-t border-line p-4 sm:p-5">
          <div className="max-w-lg">
            <Form
              id={SELECTION}
              intent="pay"
              problems={withSelectionProblem(problems)}
              submitLabel="Mark selected as paid"
            >
              <Field
                label="Reference"
                {...fieldOf(problems, "reference")}
                maxLength={200}
                autoComplete="off"
                hint="The payment's transaction, or your order number. Holders see it."
              />
              <PaidAtField problems={problems} />
            </Form>
          </div>
        </div>
      )}
    </>
  );
}

/** Shows the field of the time of a payout. */
export function PaidAtField({ problems }: { problems: FormProblems | undefined }) {
  return (
    <Field
      label="Paid at (UTC)"
      {...fieldOf(problems, "paidAt")}
      type="datetime-local"
      isOptional
      hint="Leave it empty to use the current time."
    />
  );
}

/** Shows the problem of the selection, which has no field in the form, as the form's own. */
function withSelectionProblem(problems: FormProblems | undefined): FormProblems | undefined {
  const selection = problems?.fields.addresses;
  return problems && selection ? { ...problems, form: selection } : problems;
}

function UndoForm({ address }: { address: string }) {
  return (
    <PlainForm method="post">
      <input type="hidden" name="addresses" value={address} />
      <Button
        type="submit"
        variant="quiet"
        size="small"
        name="intent"
        value="unpay"
        aria-label={`Remove the paid mark of ${address}`}
      >
        Undo
      </Button>
    </PlainForm>
  );
}
