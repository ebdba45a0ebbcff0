import { Badge } from "../../ui/badge";
import { DataTable } from "../../ui/data-table";
import { Ago, Count } from "../../ui/local";

interface ProviderState {
  key: string;
  chainId: number;
  chainName: string;
  kind: "rpc" | "etherscan" | "blockscout";
  host: string;
  succeededAt: Date | null;
  failedAt: Date | null;
  failure: string | null;
  callsPerSecond: number;
  callsLeft: number;
}

const KINDS = { rpc: "Node", etherscan: "Etherscan", blockscout: "Blockscout" } as const;

/** Lists the providers of each chain, with their recent answers. */
export function ProviderTable({
  providers,
  readAt,
}: {
  providers: readonly ProviderState[];
  readAt: number;
}) {
  return (
    <DataTable
      label="Providers"
      rows={providers}
      getRowId={({ key }) => key}
      columns={[
        {
          label: "Provider",
          cell: ({ chainName, kind, host }) => (
            <>
              <p className="font-medium">
                {chainName}: {KINDS[kind]}
              </p>
              <p className="break-all text-xs text-ink-muted">{host}</p>
            </>
          ),
        },
        { label: "State", cell: (provider) => <State provider={provider} readAt={readAt} /> },
        {
          label: "Last success",
          isSecondary: true,
          cell: ({ succeededAt }) =>
            succeededAt ? <Ago date={succeededAt} now={readAt} /> : "None yet",
        },
        {
          label: "Calls left today",
          align: "end",
          isSecondary: true,
          cell: ({ callsLeft }) => <Count value={callsLeft} />,
        },
        {
          label: "Per second",
          align: "end",
          isSecondary: true,
          cell: ({ callsPerSecond }) => <Count value={callsPerSecond} />,
        },
      ]}
    />
  );
}

function State({ provider, readAt }: { provider: ProviderState; readAt: number }) {
  const { failure, failedAt, succeededAt } = provider;
  if (failure !== null && failedAt !== null) {
    return (
      <>
        <Badge tone="danger">Failing</Badge>
        <p className="mt-1 text-xs text-ink-muted">
          {failure}, <Ago date={failedAt} now={readAt} />.
        </p>
      </>
    );
  }
  return succeededAt ? <Badge tone="success">Answers</Badge> : <Badge>Not used yet</Badge>;
}
