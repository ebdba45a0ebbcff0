import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { NewBoardFields } from "../../../components/dashboard/board/board-fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { toBoardName } from "../../../domain/board/board-reference";
import { listTimeZones } from "../../../domain/local-time";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createBoard } from "../../../services/board/boards";
import { usePointSystem } from "../point-systems/layout";
import { NewBoardInputs, readNewBoard } from "./boards.inputs.server";

export const meta = titlePage("New board");

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireMember(args, mayRead("boards/new"));
  return { timeZones: listTimeZones() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("boards/new"));
  return takeForm(args, NewBoardInputs, async (inputs) => {
    const board = readNewBoard(inputs);
    await createBoard(member, board);
    const name = encodeURIComponent(toBoardName(board.kind, board.slug));
    const path = `/dashboard/${member.pointSystemId}/boards/${name}`;
    return redirectWithNotice(path, `${board.name} is created.`, args.context);
  });
});

export default function NewBoard() {
  const { timeZones } = useLoaderData<typeof loader>();
  const { id } = usePointSystem();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New board"
        description="It counts every credit, grant and import of its time, and what is taken back again."
        breadcrumb={[{ label: "Boards", to: `/dashboard/${id}/boards` }]}
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Create the board">
          <NewBoardFields problems={problems} timeZones={timeZones} />
        </Form>
      </div>
    </>
  );
}
