import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Count } from "../../ui/local";

export interface BucketCost {
  bucketSize: number;
  isDefault: boolean;
  buckets: number;
  creationGas: number;
  transactions: number;
  newHolderGas: number;
  holderGas: number;
}

/** Compares the costs on chain of each size of the merkle trees. */
export function BucketCosts({ costs }: { costs: readonly BucketCost[] }) {
  return (
    <>
      <p className="px-4 pt-3 text-sm text-ink-muted sm:px-5">
        Small trees make claims cheaper. One large tree makes creation cheaper. Gas is an estimate,
        and its price depends on the chain.
      </p>
      <DataTable
        label="Costs on chain"
        columns={COLUMNS}
        rows={costs}
        getRowId={({ bucketSize }) => String(bucketSize)}
      />
    </>
  );
}

const COLUMNS: readonly DataColumn<BucketCost>[] = [
  {
    label: "Wallets per tree",
    cell: ({ bucketSize, isDefault }) => (
      <span className="inline-flex flex-wrap items-center gap-2 tabular-nums">
        <Count value={bucketSize} />
        {isDefault && <Badge tone="accent">Suggested</Badge>}
      </span>
    ),
  },
  {
    label: "Trees",
    align: "end",
    isSecondary: true,
    cell: ({ buckets }) => <Count value={buckets} />,
  },
  {
    label: "Creation",
    align: "end",
    cell: ({ creationGas }) => <Count value={creationGas} />,
  },
  {
    label: "Transactions",
    align: "end",
    isSecondary: true,
    cell: ({ transactions }) => <Count value={transactions} />,
  },
  {
    label: "First claim",
    align: "end",
    cell: ({ newHolderGas }) => <Count value={newHolderGas} />,
  },
  {
    label: "Claim by a holder",
    align: "end",
    isSecondary: true,
    cell: ({ holderGas }) => <Count value={holderGas} />,
  },
];
