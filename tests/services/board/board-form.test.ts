import { expect, test } from "vitest";
import { action, loader } from "../../../app/routes/dashboard/board/board";
import { getBoard } from "../../../app/services/board/board-list";
import { createBoard } from "../../../app/services/board/boards";
import { createOwner } from "../../support/operators";
import { callAction, callLoader, startTestSession } from "../../support/pages";

const DAY_MS = 86_400_000;

test("a season whose start has milliseconds is renamed after it has begun, and its times stay", async () => {
  const owner = await createOwner();
  const { actor, pointSystemId } = owner;
  const second = Math.floor(Date.now() / 1_000) * 1_000;
  const season = {
    startsAt: new Date(second - DAY_MS + 345),
    endsAt: new Date(second + DAY_MS + 678),
  };
  await createBoard(owner, {
    ...{ kind: "season", slug: "spring", name: "Spring", timeZone: "UTC", isPublic: true },
    season,
  });
  const board = "season:spring";
  const { season: shown } = await callLoader(loader, owner, { board });
  const save = async (fields: Record<string, string>) => {
    const form = { intent: "update", name: "Summer", isPublic: "yes", timeZone: "UTC" };
    const body = new URLSearchParams({ ...form, ...shown, ...fields });
    const cookie = await startTestSession(actor);
    return callAction(action, actor, cookie, { pointSystemId, board }, body);
  };
  expect(await save({})).toMatchObject({ status: 302 });
  expect(await getBoard(pointSystemId, "spring")).toMatchObject({ name: "Summer", ...season });
  expect(await save({ startsAt: "2030-01-01T00:00", endsAt: "2031-01-01T00:00" })).toMatchObject({
    data: { problems: { fields: { startsAt: expect.stringContaining("has started") } } },
  });
});
