import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ArchivedNote } from "../../../components/dashboard/activity/archived-note";
import { HistoryTable } from "../../../components/dashboard/activity/history-table";
import { GrantForm, WalletMenu } from "../../../components/dashboard/board/wallet-forms";
import { WalletLinks } from "../../../components/dashboard/board/wallet-links";
import { WalletNotes } from "../../../components/dashboard/board/wallet-notes";
import { WalletStanding } from "../../../components/dashboard/board/wallet-standing";
import { SpendTable } from "../../../components/dashboard/ledger/spend-table";
import { WalletRewardList } from "../../../components/dashboard/rewards/wallet-reward-list";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { StreakFacts } from "../../../components/progress/streak-facts";
import { TierBadge } from "../../../components/progress/tier-badge";
import { Badge } from "../../../components/ui/badge";
import { ButtonLink } from "../../../components/ui/button-link";
import { Card } from "../../../components/ui/card";
import { DailyChart } from "../../../components/ui/charts/lazy-chart";
import { CopyButton } from "../../../components/ui/copy-button";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { nameTriggers } from "../../../domain/point-systems/trigger-key";
import { parseUuid } from "../../../domain/uuid";
import { form, takeForms } from "../../../http/form";
import { createFormToken, FormToken } from "../../../http/form-token";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listWalletDays } from "../../../services/activity/wallet-days";
import { listWalletHistory } from "../../../services/activity/wallet-history";
import {
  addWalletNote,
  deleteWalletNote,
  listWalletNotes,
} from "../../../services/board/wallet-notes";
import { getWalletProfile } from "../../../services/board/wallet-profile";
import { addToBlacklist, removeFromBlacklist } from "../../../services/ledger/blacklist";
import { grantPoints } from "../../../services/ledger/grants";
import { registerWalletByHand } from "../../../services/ledger/registrations";
import { listSpends } from "../../../services/ledger/spend-list";
import { reverseSpendByHand } from "../../../services/ledger/spending";
import { voidEvent } from "../../../services/ledger/voids";
import { listTriggers } from "../../../services/point-systems/triggers";
import { listWalletStreaks } from "../../../services/progress/streaks";
import { addTiers } from "../../../services/progress/tiers";
import { listWalletRewards } from "../../../services/rewards/wallet-rewards";
import { getBoardPage } from "../../../services/search/wallet-search";
import { linkWallets, unlinkWallet } from "../../../services/wallet-links/links";
import { listLinksOf } from "../../../services/wallet-links/list";
import { AddressInput } from "../../shared.inputs.server";
import { usePointSystem } from "../point-systems/layout";
import {
  EventPlaceInput,
  getWalletAddress,
  NoteInput,
  PointsInput,
  ReversalInputs,
  readCursor,
  WalletNoteInput,
} from "./wallet.inputs.server";

/** The newest spends that the page shows; the page of all spends has the others. */
const SPENDS_SHOWN = 5;

export const meta = titlePage("Wallet");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("wallets/:address"));
  const address = getWalletAddress(args.params);
  const [profile, days, history, spends, rewards, notes, triggers, streaks, links] =
    await Promise.all([
      getWalletProfile(member, address),
      listWalletDays(member, address),
      listWalletHistory(member, address, readCursor(args.request, parseUuid)),
      listSpends(member, address, null),
      listWalletRewards(member, address),
      listWalletNotes(member, address),
      listTriggers(member),
      listWalletStreaks(member.pointSystemId, address),
      listLinksOf(member, address),
    ]);
  const [tiered] = await addTiers(member.pointSystemId, [profile], true);
  const { rank, blacklisted } = profile;
  const boardPage = rank === null || blacklisted ? null : getBoardPage(rank);
  return {
    ...{ profile, boardPage, days, history, spends, rewards, notes, streaks, links },
    names: nameTriggers(triggers),
    tier: tiered?.tier ?? null,
    token: createFormToken(),
    noteToken: createFormToken(),
    readAt: Date.now(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("wallets/:address"));
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
    register: form(z.object({}), async () => {
      const isNew = await registerWalletByHand(member, address);
      return answer(isNew ? "The wallet is registered." : "The wallet was already registered.");
    }),
    void: form(z.object({ event: EventPlaceInput, note: NoteInput }), async ({ event, note }) => {
      await voidEvent(member, event, note);
      return answer("The event is voided.");
    }),
    reverse: form(ReversalInputs, async ({ spend, note }) => {
      await reverseSpendByHand(member, spend, note);
      return answer("The spend is reversed.");
    }),
    note: form(z.object({ text: WalletNoteInput, token: FormToken }), async ({ text, token }) => {
      await addWalletNote(member, { address, note: text, id: token });
      return answer("The note is added.");
    }),
    deleteNote: form(z.object({ id: z.uuid() }), async ({ id }) => {
      await deleteWalletNote(member, address, id);
      return answer("The note is deleted.");
    }),
    link: form(z.object({ primaryAddress: AddressInput }), async ({ primaryAddress }) => {
      const { points } = await linkWallets(member, { address, primaryAddress });
      return answer(
        `The wallet is linked. ${points.toLocaleString("en")} ${points === 1 ? "point has" : "points have"} moved.`,
        path,
      );
    }),
    unlink: form(z.object({ address: AddressInput }), async (linked) => {
      await unlinkWallet(member, linked.address);
      return answer("The wallet is unlinked.");
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
  const data = useLoaderData<typeof loader>();
  const { profile, boardPage, days, history, spends, rewards, notes, names, tier, streaks } = data;
  const { links, readAt, token, noteToken } = data;
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const { address, holder, blacklisted } = profile;
  const isBlacklisted = blacklisted?.address === address;
  const isEditor = role !== "viewer";
  const leaderboard = `/dashboard/${pointSystemId}/leaderboard`;
  return (
    <>
      <PageHeader
        breadcrumb={[{ label: "Leaderboard", to: leaderboard }]}
        title={
          <span className="flex flex-wrap items-center gap-3">
            Wallet {isBlacklisted && <Badge tone="danger">Blacklisted</Badge>}
            {tier && <TierBadge tier={tier} />}
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
            {isEditor && (
              <WalletMenu
                isRegistered={profile.rank !== null}
                isBlacklisted={isBlacklisted}
                findProblems={(intent) => problemsOf(answer, intent)}
              />
            )}
          </>
        }
      />
      <WalletStanding
        standing={profile}
        boardHref={
          boardPage === null ? null : `${leaderboard}?page=${boardPage}&wallet=${holder}#row`
        }
      />
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          <div className="mb-6">
            <Card heading="Points per day" aside="Last 30 days, in UTC">
              <div className="p-4 text-sm sm:p-5">
                {days ? (
                  <DailyChart label="Last 30 days" unit="points" data={days} heightPx={160} />
                ) : (
                  <p className="text-ink-muted">
                    This wallet has too many events for a chart. Filter the activity by its address.
                  </p>
                )}
              </div>
            </Card>
          </div>
          <Card heading="History" aside="Newest first">
            <HistoryTable
              events={history.rows}
              pointSystemId={pointSystemId}
              names={names}
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
          <ArchivedNote before={profile.archivedBefore} />
          {spends.rows.length > 0 && (
            <div className="mt-6">
              <Card
                heading="Spends"
                aside={
                  <Link to={`../spends?search=${address}`} className="text-accent underline">
                    All of them
                  </Link>
                }
              >
                <SpendTable
                  spends={spends.rows.slice(0, SPENDS_SHOWN)}
                  canReverse={isEditor}
                  problems={problemsOf(answer, "reverse")}
                  readAt={readAt}
                  emptyState={null}
                />
              </Card>
            </div>
          )}
        </div>
        <div className="grid min-w-0 gap-6">
          {isEditor && (
            <Card heading="Grant points">
              <div className="p-4 text-sm sm:p-5">
                {blacklisted ? (
                  <p className="text-ink-muted">
                    A blacklisted wallet earns nothing. Remove{" "}
                    {isBlacklisted ? "it" : "the primary wallet"} from the blacklist first.
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
          {streaks.length > 0 && (
            <Card heading="Streaks">
              <div className="p-4 sm:p-5">
                <StreakFacts streaks={streaks} />
              </div>
            </Card>
          )}
          <Card heading="Wallets of the holder">
            <WalletLinks
              address={address}
              pointSystemId={pointSystemId}
              links={links}
              canWrite={isEditor}
              isBlacklisted={isBlacklisted}
              findProblems={(intent) => problemsOf(answer, intent)}
            />
          </Card>
          <Card heading="Rewards">
            <WalletRewardList
              rewards={rewards}
              getHref={({ rewardId, what }) =>
                what.kind === "token"
                  ? `/dashboard/${pointSystemId}/rewards/${rewardId}/wallets/${address}`
                  : `/dashboard/${pointSystemId}/gift-cards/${rewardId}`
              }
            />
          </Card>
          <Card heading="Notes">
            <WalletNotes
              notes={notes}
              canWrite={isEditor}
              token={noteToken}
              problems={problemsOf(answer, "note")}
              now={readAt}
            />
          </Card>
        </div>
      </div>
    </>
  );
}
