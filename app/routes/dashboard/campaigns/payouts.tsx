import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { CampaignFiles } from "../../../components/dashboard/campaigns/files";
import { PayoutFileForm } from "../../../components/dashboard/campaigns/payout-file-form";
import { PayoutTable } from "../../../components/dashboard/campaigns/payout-table";
import { problemsOf } from "../../../components/form/problems";
import { titlePage } from "../../../components/page/page-title";
import { Alert } from "../../../components/ui/alert";
import { Card } from "../../../components/ui/card";
import { Count } from "../../../components/ui/local";
import { CursorPager } from "../../../components/ui/pager";
import { TokenAmount } from "../../../components/ui/token-amount";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { parseAddress } from "../../../domain/address";
import { Failure } from "../../../domain/failure";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import {
  getPayoutProgress,
  markPaid,
  type PayoutChange,
  readPayouts,
  unmarkPaid,
} from "../../../services/campaigns/payouts";
import { listCampaignWallets } from "../../../services/campaigns/wallets";
import { usePointSystem } from "../point-systems/layout";
import { requireCampaign } from "./campaign.server";
import { useCampaign } from "./layout";
import { PayInputs, PayoutFileInputs, readPayoutBody, UnpayInputs } from "./payouts.inputs.server";

export const meta = titlePage("Payouts");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId/payouts"));
  if (campaign.chainId !== null) throw new Failure("not_found");
  const after = parseAddress(new URL(args.request.url).searchParams.get("after") ?? "");
  const [list, paid] = await Promise.all([
    listCampaignWallets(member, campaign, after),
    getPayoutProgress(member, campaign),
  ]);
  return { ...list, after, paid };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("rewards/:rewardId/payouts"));
  const { rewardId = "" } = args.params;
  const { search } = new URL(args.request.url);
  const path = `/dashboard/${member.pointSystemId}/rewards/${rewardId}/payouts${search}`;
  const answer = (change: PayoutChange, done: string) =>
    redirectWithNotice(path, describeChange(change, done), args.context);
  const forms = {
    pay: form(PayInputs, async ({ addresses, ...how }) => {
      const payouts = [...new Set(addresses)].map((address) => ({ address, ...how }));
      return answer(await markPaid(member, rewardId, payouts), "marked as paid");
    }),
    unpay: form(UnpayInputs, async ({ addresses }) =>
      answer(await unmarkPaid(member, rewardId, [...new Set(addresses)]), "to be paid again"),
    ),
    file: form(PayoutFileInputs, async ({ mode, file, text, reference, paidAt }) => {
      // Wallets whose marks are taken back need no reference.
      const defaults = { reference: mode === "unpay" ? (reference ?? "-") : reference, paidAt };
      const payouts = await readPayouts(file || text, defaults);
      if (mode === "pay") {
        return answer(await markPaid(member, rewardId, payouts), "marked as paid");
      }
      const addresses = payouts.map(({ address }) => address);
      return answer(await unmarkPaid(member, rewardId, addresses), "to be paid again");
    }),
  };
  return takeForms(args, forms, { readBody: readPayoutBody, uploader: member.actor.operatorId });
});

function describeChange({ changed, unchanged }: PayoutChange, done: string): string {
  const subject = `${changed.toLocaleString("en")} ${changed === 1 ? "wallet is" : "wallets are"}`;
  const rest = unchanged === 0 ? "" : ` ${unchanged.toLocaleString("en")} stay as they were.`;
  return `${subject} ${done}.${rest}`;
}

export default function CampaignPayouts() {
  const { wallets, hasMore, after, paid } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { campaign } = useCampaign();
  const { id: pointSystemId, role } = usePointSystem();
  const base = `/dashboard/${pointSystemId}/rewards/${campaign.id}`;
  const canPay = role !== "viewer" && campaign.status === "distributed";
  const unpay = problemsOf(answer, "unpay");
  const refusal = unpay?.form ?? unpay?.fields.addresses;
  const last = wallets.at(-1);
  return (
    <div className="space-y-6">
      <p className="max-w-2xl text-sm text-ink-muted">
        {campaign.status === "distributed" ? (
          <>
            <Count value={paid.wallets} /> {paid.wallets === 1 ? "wallet is" : "wallets are"} paid,{" "}
            <TokenAmount amountWei={paid.amountWei} token={campaign} /> in all. You pay{" "}
            {campaign.tokenSymbol} yourself; once a wallet is marked, its holder and your
            applications see it as claimed.
          </>
        ) : (
          "Wallets can be marked as paid once the campaign is split and its payouts are open."
        )}
      </p>
      {refusal && <Alert>{refusal}</Alert>}
      <Card
        heading="Wallets"
        aside={
          wallets.length > 0 && (
            <span className="flex flex-wrap gap-x-4">
              <CampaignFiles base={base} />
            </span>
          )
        }
      >
        <PayoutTable
          wallets={wallets}
          token={campaign}
          base={`${base}/wallets`}
          canPay={canPay}
          problems={problemsOf(answer, "pay")}
        />
      </Card>
      <CursorPager
        label="Pages of wallets"
        newerHref={after === null ? null : "?"}
        newerLabel="First"
        olderHref={hasMore && last ? `?after=${last.address}` : null}
        olderLabel="Next"
      />
      {canPay && (
        <Card heading="From a file">
          <div className="max-w-lg p-4 sm:p-5">
            <PayoutFileForm problems={problemsOf(answer, "file")} />
          </div>
        </Card>
      )}
    </div>
  );
}
