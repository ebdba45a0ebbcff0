import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { NameFields, SeasonFields } from "../../../components/dashboard/board/board-fields";
import { BoardState } from "../../../components/dashboard/board/board-state";
import { BoardTable } from "../../../components/dashboard/board/board-table";
import { BoardWindows } from "../../../components/dashboard/board/board-windows";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { Count } from "../../../components/ui/local";
import { ActionMenu } from "../../../components/ui/menu";
import { Pager } from "../../../components/ui/pager";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { readBoardKey, toBoardName } from "../../../domain/board/board-reference";
import { formatLocalTime } from "../../../domain/local-time";
import { PAGE_LIMIT_DEFAULT } from "../../../domain/pagination";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getBoard, listBoardWindows } from "../../../services/board/board-list";
import { deleteBoard, endBoard, updateBoard } from "../../../services/board/boards";
import { listLeaderboard } from "../../../services/board/leaderboard";
import { findRanksBefore } from "../../../services/board/rank-change";
import { usePointSystem } from "../point-systems/layout";
import { BoardInputs, readBoardChange } from "./boards.inputs.server";

export const meta = titlePage<{ board: { name: string } }>((data) => data?.board.name ?? "Board");

const PageQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000_000).catch(1),
  window: z.string().max(20).catch(""),
});

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("boards/:board"));
  const key = readBoardKey(args.params.board);
  const query = new URL(args.request.url).searchParams;
  const wanted = PageQuery.parse(Object.fromEntries(query));
  const board = await getBoard(pointSystemId, key);
  const label = board.kind === "season" ? null : wanted.window || board.label;
  const request = { page: wanted.page, limit: PAGE_LIMIT_DEFAULT };
  const [windows, list] = await Promise.all([
    label === null ? [] : listBoardWindows(pointSystemId, board.id),
    board.state === "filling" ? null : listLeaderboard(pointSystemId, request, { key, label }),
  ]);
  const totalPages = list?.pagination.totalPages ?? 0;
  if (totalPages > 0 && wanted.page > totalPages) {
    query.set("page", String(totalPages));
    throw redirect(`${new URL(args.request.url).pathname}?${query}`);
  }
  const shown = list?.leaderboard.map(({ address }) => address) ?? [];
  const before =
    label === null ? null : await findRanksBefore(pointSystemId, board.id, label, shown);
  const { timeZone, startsAt, endsAt } = board;
  return {
    board: { ...board, reference: toBoardName(board.kind, board.slug) },
    season: {
      startsAt: formatLocalTime(startsAt, timeZone),
      endsAt: formatLocalTime(endsAt, timeZone),
    },
    windows: windows.map((window) => window.label),
    label,
    list,
    before,
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("boards/:board"));
  const key = readBoardKey(args.params.board);
  const boards = `/dashboard/${member.pointSystemId}/boards`;
  const tell = (text: string, to = `${boards}/${encodeURIComponent(args.params.board ?? "")}`) =>
    redirectWithNotice(to, text, args.context);
  return takeForms(args, {
    update: form(BoardInputs, async (inputs) => {
      const before = await getBoard(member.pointSystemId, key);
      await updateBoard(member, key, readBoardChange(inputs, before));
      return tell("The board is saved.");
    }),
    end: form(z.object({}), async () => {
      await endBoard(member, key);
      return tell("The board has ended. It no longer changes.");
    }),
    delete: form(z.object({}), async () => {
      await deleteBoard(member, key);
      return tell("The board is deleted.", boards);
    }),
  });
});

export default function Board() {
  const { board, season, windows, label, list, before } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const canEdit = role !== "viewer";
  const isMovable = board.kind === "season" && ["scheduled", "open"].includes(board.state);
  const [problems, ending, deletion] = ["update", "end", "delete"].map((intent) =>
    problemsOf(answer, intent),
  );
  return (
    <>
      <PageHeader
        title={board.name}
        breadcrumb={[{ label: "Boards", to: `/dashboard/${pointSystemId}/boards` }]}
        description={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <BoardState state={board.state} />
            <code className="text-[0.8125rem]">board={board.reference}</code>
            <span>{board.timeZone}</span>
            {list && (
              <span>
                <Count value={list.pagination.total} />{" "}
                {list.pagination.total === 1 ? "wallet" : "wallets"}
              </span>
            )}
          </span>
        }
        actions={
          <>
            {list && (
              <a
                className={getButtonClass("quiet")}
                href={`/dashboard/${pointSystemId}/leaderboard.csv?board=${encodeURIComponent(
                  label === null ? board.reference : `${board.reference}:${label}`,
                )}`}
              >
                Export CSV
              </a>
            )}
            {canEdit && (
              <ActionMenu
                id="board-actions"
                label="More actions"
                hasProblems={Boolean(ending ?? deletion)}
              >
                {board.state === "open" && (
                  <ConfirmForm
                    intent="end"
                    isInMenu
                    label="End the board"
                    heading={`End ${board.name} now?`}
                    text="Events from now on do not count. It cannot be opened again."
                    confirmLabel="End it now"
                    problems={ending}
                  />
                )}
                <ConfirmForm
                  intent="delete"
                  isInMenu
                  label="Delete the board"
                  heading={`Delete ${board.name}?`}
                  text="Its past windows are deleted as well. Points and events stay."
                  confirmLabel="Delete the board"
                  problems={deletion}
                />
              </ActionMenu>
            )}
          </>
        }
      />
      <div className="mt-6 grid gap-6">
        <BoardWindows
          labels={windows}
          shown={label}
          present={board.label}
          from={season.startsAt}
          until={season.endsAt}
        />
        <div className="overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
          {list ? (
            <BoardTable
              rows={list.leaderboard}
              makeWalletHref={(address) => `/dashboard/${pointSystemId}/wallets/${address}`}
              markedAddress={null}
              before={before}
            />
          ) : (
            <EmptyState heading="The board is being counted">
              It shows as soon as the events before its creation are counted.
            </EmptyState>
          )}
        </div>
        {list && (
          <Pager
            page={list.pagination.page}
            totalPages={list.pagination.totalPages}
            total={list.pagination.total}
            makeHref={(number) => `?${label ? `window=${label}&` : ""}page=${number}`}
            label="wallets"
          />
        )}
        {canEdit && (
          <Card heading="Change the board">
            <div className="max-w-lg p-4 sm:p-5">
              <Form
                intent="update"
                fields={{ timeZone: board.timeZone }}
                problems={problems}
                submitLabel="Save"
              >
                <NameFields problems={problems} name={board.name} isPublic={board.isPublic} />
                {isMovable && <SeasonFields problems={problems} {...season} />}
              </Form>
            </div>
          </Card>
        )}
      </div>
    </>
  );
}
