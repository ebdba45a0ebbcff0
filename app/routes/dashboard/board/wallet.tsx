import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { HistoryTable } from "../../../components/dashboard/activity/history-table";
import {
  BlacklistForm,
  GrantForm,
  PardonForm,
} from "../../../components/dashboard/board/wallet-forms";
import { WalletStanding } from "../../../components/dashboard/board/wallet-standing";
import { WalletRewardList } from "../../../components/dashboard/rewards/wallet-reward-list";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { Badge } from "../../../components/ui/badge";
import { ButtonLink } from "../../../components/ui/button-link";
import { Card } from "../../../components/ui/card";
import { CopyButton } from "../../../components/ui/copy-button";
import { CursorPager } from "../../../components/ui/pager";
import { parseUuid } from "../../../domain/uuid";
import { form, takeForms } from "../../../http/form";
import { createFormToken, FormToken } from "../../../http/form-token";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listWalletHistory } from "../../../services/activity/wallet-history";
import { getWalletProfile } from "../../../services/board/wallet-profile";
import { addToBlacklist, removeFromBlacklist } from "../../../services/ledger/blacklist";
import { grantPoints } from "../../../services/ledger/grants";
import { voidEvent } from "../../../services/ledger/voids";
import { listWalletRewards } from "../../../services/rewards/wallet-rewards";
import { getBoardPage } from "../../../services/search/wallet-search";
import { usePointSystem } from "../point-systems/layout";
import { getWalletAddress, NoteInput, PointsInput, readCursor } from "./wallet.inputs.server";

export const meta: MetaFunction = () => [{ title: "Wallet · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  const address = getWalletAddress(args.params);
  const [profile, history, rewards] = await Promise.all([
    getWalletProfile(member, address),
    listWalletHistory(member, address, readCursor(args.request, parseUuid)),
    listWalletRewards(member, address),
  ]);
  const { rank, blacklisted } = profile;
  const boardPage = rank === null || blacklisted ? null : getBoardPage(rank);
  return { profile, boardPage, history, rewards, token: createFormToken(), readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "editor");
  const address = getWalletAddress(args.params);
  const { search } = new URL(args.request.url);
  const path = `/dashboard/${member.pointSystemId}/wallets/${address}`;
  const answer = (text: string, to = path + search) => redirectWithNotice(to, text, args.context);
  return takeForms(args, {
    grant: form(
      z.object({ points: PointsInput, note: NoteInput, token: FormToken }),
      async (grant) => {
        await grantPoints(member, { address, ...grant });
        const count = grant.points.toLocaleString("en");
        return answer(`${count} ${grant.points === 1 ? "point is" : "points are"} granted.`, path);
      },
    ),
    void: form(z.object({ event: z.string(), note: NoteInput }), async ({ event, note }) => {
      await voidEvent(member, event, note);
      return answer("The event is voided.");
    }),
    blacklist: form(z.object({ reason: NoteInput }), async ({ reason }) => {
      const added = await addToBlacklist(member, [{ address, reason }]);
      return answer(
        added > 0 ? "The wallet is blacklisted." : "The wallet was already blacklisted.",
      );
    }),
    pardon: form(z.object({}), async () => {
      const removed = await removeFromBlacklist(member, [address]);
      return answer(
        removed > 0
          ? "The wallet was removed from the blacklist."
          : "The wallet was not on the blacklist.",
      );
    }),
  });
});

export default function Wallet() {
  const { profile, boardPage, history, rewards, token, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const { address, blacklisted } = profile;
  const isEditor = role !== "viewer";
  const leaderboard = `/dashboard/${pointSystemId}/leaderboard`;
  return (
    <>
      <PageHeader
        breadcrumb={[{ label: "Leaderboard", to: leaderboard }]}
        title={
          <span className="flex flex-wrap items-center gap-3">
            Wallet {blacklisted && <Badge tone="danger">Blacklisted</Badge>}
          </span>
        }
        description={
          <span className="flex items-center gap-1">
            <span className="break-all font-mono">{address}</span>
            <CopyButton text={address} label="address" />
          </span>
        }
        actions={
          <>
            <ButtonLink to="score" variant="quiet">
              Score
            </ButtonLink>
            {isEditor &&
              (blacklisted ? (
                <PardonForm problems={problemsOf(answer, "pardon")} />
              ) : (
                <BlacklistForm problems={problemsOf(answer, "blacklist")} />
              ))}
          </>
        }
      />
      <WalletStanding
        standing={profile}
        boardHref={
          boardPage === null ? null : `${leaderboard}?page=${boardPage}&wallet=${address}#row`
        }
      />
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          <Card heading="History" aside="Newest first">
            <HistoryTable
              events={history.rows}
              pointSystemId={pointSystemId}
              canVoid={isEditor}
              problems={problemsOf(answer, "void")}
              readAt={readAt}
            />
          </Card>
          <CursorPager
            label="Pages of the history"
            newerHref={history.newer && `?newer=${history.newer}`}
            olderHref={history.older && `?older=${history.older}`}
          />
        </div>
        <div className="grid min-w-0 gap-6">
          {isEditor && (
            <Card heading="Grant points">
              <div className="p-4 text-sm sm:p-5">
                {blacklisted ? (
                  <p className="text-ink-muted">
                    A blacklisted wallet earns nothing. Remove it from the blacklist first.
                  </p>
                ) : (
                  // The key gives each grant a new form, which begins empty.
                  <GrantForm
                    key={profile.events}
                    token={token}
                    problems={problemsOf(answer, "grant")}
                  />
                )}
              </div>
            </Card>
          )}
          <Card heading="Rewards">
            <WalletRewardList rewards={rewards} />
          </Card>
        </div>
      </div>
    </>
  );
}
