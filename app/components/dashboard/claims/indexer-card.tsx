import type { ReactNode } from "react";
import { Address } from "../../ui/address";
import { Alert } from "../../ui/alert";
import { Badge } from "../../ui/badge";
import { Card } from "../../ui/card";
import { Fact } from "../../ui/fact";
import { Ago, Count } from "../../ui/local";

interface Progress {
  headBlock: number | null;
  finalBlock: number;
  lagBlocks: number;
  lagSeconds: number;
  leader: string | null;
  ledSince: Date | null;
  endpointHost: string;
  succeededAt: Date | null;
  failedAt: Date | null;
  failure: string | null;
  claims: number;
  claimsUndone: number;
  claimsWithProblem: number;
  reorgs: number;
  reconciledAt: Date | null;
  bucketsDiffering: number;
  rescans: number;
  contradiction: string | null;
  contradictedAt: Date | null;
  contradictions: number;
}

/** Shows how one chain is followed. */
export function IndexerCard({
  state,
  readAt,
}: {
  state: {
    chainId: number;
    chainName: string;
    contracts: readonly `0x${string}`[];
    progress: Progress | null;
  };
  readAt: number;
}) {
  const { chainId, chainName, contracts, progress } = state;
  return (
    <Card heading={chainName} aside={<>Chain {chainId}</>}>
      <div className="grid gap-4 px-4 py-4 text-sm sm:px-5">
        <State progress={progress} readAt={readAt} />
        {progress?.contradiction && (
          <Alert>
            {progress.contradiction}
            {progress.contradictedAt && (
              <>
                , <Ago date={progress.contradictedAt} now={readAt} />
              </>
            )}
            . Check the chain's endpoints.
          </Alert>
        )}
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
          <Fact label={contracts.length === 1 ? "Contract" : "Contracts"}>
            {contracts.map((contract) => (
              <Address key={contract} address={contract} />
            ))}
          </Fact>
          {progress && <Facts progress={progress} readAt={readAt} />}
        </dl>
      </div>
    </Card>
  );
}

function State({ progress, readAt }: { progress: Progress | null; readAt: number }) {
  if (!progress) return <Line badge={<Badge>Not started</Badge>}>No check yet.</Line>;
  const { failure, failedAt, succeededAt, lagBlocks } = progress;
  if (failure !== null) {
    return (
      <Line badge={<Badge tone="danger">Failing</Badge>}>
        {failure}
        {failedAt && (
          <>
            , <Ago date={failedAt} now={readAt} />
          </>
        )}
        .
      </Line>
    );
  }
  if (lagBlocks > 0) {
    return (
      <Line badge={<Badge tone="accent">Catching up</Badge>}>
        <Count value={lagBlocks} /> final blocks are still to be read.
      </Line>
    );
  }
  return (
    <Line badge={<Badge tone="success">Up to date</Badge>}>
      {succeededAt && (
        <>
          Last checked <Ago date={succeededAt} now={readAt} />.
        </>
      )}
    </Line>
  );
}

function Line({ badge, children }: { badge: ReactNode; children: ReactNode }) {
  return (
    <p className="flex flex-wrap items-center gap-2">
      {badge} <span>{children}</span>
    </p>
  );
}

function Facts({ progress, readAt }: { progress: Progress; readAt: number }) {
  const { leader, ledSince, headBlock, failedAt, reconciledAt, bucketsDiffering } = progress;
  return (
    <>
      <Fact label="Newest block">
        {headBlock === null ? "None yet" : <Count value={headBlock} />}
      </Fact>
      <Fact label="Final up to block">
        {progress.finalBlock < 0 ? "None yet" : <Count value={progress.finalBlock} />}
      </Fact>
      <Fact label="Behind the chain">
        <Count value={progress.lagBlocks} /> final blocks, <Count value={progress.lagSeconds} /> s
        since the last check
      </Fact>
      <Fact label="Last failure">
        {failedAt ? <Ago date={failedAt} now={readAt} /> : "None yet"}
      </Fact>
      <Fact label="Endpoint">{progress.endpointHost}</Fact>
      <Fact label="Leading process">
        {leader ?? "None yet"}
        {ledSince && (
          <>
            , <Ago date={ledSince} now={readAt} />
          </>
        )}
      </Fact>
      <Fact label="Claims">
        <Count value={progress.claims} />
      </Fact>
      <Fact label="Claims that fit no share">
        <Count value={progress.claimsWithProblem} />
      </Fact>
      <Fact label="Reorganisations seen">
        <Count value={progress.reorgs} />, <Count value={progress.claimsUndone} /> claims taken back
      </Fact>
      <Fact label="Compared with the contract">
        {reconciledAt ? <Ago date={reconciledAt} now={readAt} /> : "Not yet"}
        {reconciledAt && bucketsDiffering === 0 && ", no difference"}
        {bucketsDiffering > 0 && (
          <>
            , <Count value={bucketsDiffering} /> trees differ
          </>
        )}
      </Fact>
      <Fact label="Alarms about final blocks">
        <Count value={progress.contradictions} />
      </Fact>
      <Fact label="Rescans after a difference">
        <Count value={progress.rescans} /> times
      </Fact>
    </>
  );
}
