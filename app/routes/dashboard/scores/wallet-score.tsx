import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ScoreBreakdown } from "../../../components/dashboard/scores/breakdown";
import { ScoreHistoryTable } from "../../../components/dashboard/scores/history-table";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { Failure, type FailureCode } from "../../../domain/failure";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listScoreComputations } from "../../../services/scores/history";
import { getScore } from "../../../services/scores/scores";
import { findOwnerOfSystem } from "../../../services/scores/tenants";
import { getWalletAddress } from "../board/wallet.inputs.server";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Score");

/** Failures that are shown as a notice: neither the page nor the form is wrong. */
const AWAY: ReadonlySet<FailureCode> = new Set(["score_unavailable", "score_missing"]);

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("wallets/:address/score"));
  const address = getWalletAddress(args.params);
  const computations = await listScoreComputations(member, address);
  return { address, computations, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("wallets/:address/score"));
  const address = getWalletAddress(args.params);
  const path = `/dashboard/${member.pointSystemId}/wallets/${address}/score`;
  return takeForms(args, {
    compute: form(z.object({}), async () => {
      try {
        const findOwner = () => findOwnerOfSystem(member.pointSystemId);
        const { cachedAt } = await getScore(address, "forced", findOwner);
        const text =
          cachedAt === null
            ? "The score is computed."
            : "The score did not change. It was computed a moment ago, or a chain does not answer.";
        return redirectWithNotice(path, text, args.context);
      } catch (error) {
        const isAway = error instanceof Failure && AWAY.has(error.code);
        if (!isAway) throw error;
        const text = "Score providers unavailable. Try again later.";
        return redirectWithNotice(path, text, args.context, "danger");
      }
    }),
  });
});

export default function WalletScore() {
  const { address, computations, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const system = `/dashboard/${pointSystemId}`;
  // A lower bound does not replace a complete score.
  const shown = computations.find(({ isComplete }) => isComplete) ?? computations[0];
  return (
    <>
      <PageHeader
        breadcrumb={[
          { label: "Leaderboard", to: `${system}/leaderboard` },
          { label: "Wallet", to: `${system}/wallets/${address}` },
        ]}
        title="Score"
        description={<span className="break-all font-mono">{address}</span>}
        actions={
          role !== "viewer" && (
            <Form
              intent="compute"
              problems={problemsOf(answer, "compute")}
              submitLabel={shown ? "Compute again" : "Compute"}
              layout="inline"
            />
          )
        }
      />
      <div className="mt-6 max-w-3xl">
        {shown ? (
          <div className="grid gap-6">
            <ScoreBreakdown
              score={shown.result}
              isComplete={shown.isComplete}
              computedAt={shown.computedAt}
              readAt={readAt}
            />
            <Card heading="Computations" aside="Newest first">
              <ScoreHistoryTable computations={computations} readAt={readAt} />
            </Card>
          </div>
        ) : (
          <Card heading="Nothing yet">
            <EmptyState heading="This wallet's score was never requested.">
              <p>
                It is computed when an application requests it
                {role === "viewer" ? "." : ", or when you press the button."}
              </p>
            </EmptyState>
          </Card>
        )}
      </div>
    </>
  );
}
