import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { BoardList } from "../../../components/dashboard/board/board-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { ButtonLink } from "../../../components/ui/button-link";
import { mayRead } from "../../../domain/access/pages";
import { toBoardName } from "../../../domain/board/board-reference";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listBoards } from "../../../services/board/board-list";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Boards");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("boards"));
  const boards = await listBoards(pointSystemId);
  return {
    boards: boards.map(({ kind, slug, name, isPublic, state, startsAt, endsAt }) => ({
      reference: toBoardName(kind, slug),
      ...{ name, isPublic, state, startsAt, endsAt },
    })),
  };
});

export default function Boards() {
  const { boards } = useLoaderData<typeof loader>();
  const canEdit = usePointSystem().role !== "viewer";
  return (
    <>
      <PageHeader
        title="Boards"
        description="Boards of a day, a week, a month or a season, beside the all-time leaderboard."
        actions={canEdit && <ButtonLink to="new">New board</ButtonLink>}
      />
      <div className="mt-6 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        <BoardList boards={boards} />
      </div>
    </>
  );
}
