import { expect, test } from "vitest";
import { formatLocalTime } from "../../../app/domain/local-time";
import { loader as readDraft } from "../../../app/routes/dashboard/campaigns/edit";
import { loader as readBoostPage } from "../../../app/routes/dashboard/point-systems/boost";
import { loader as readTriggerPage } from "../../../app/routes/dashboard/point-systems/trigger";
import { createDraft } from "../../../app/services/campaigns/steps";
import { getBoost } from "../../../app/services/point-systems/boost-list";
import { createBoost, updateBoost } from "../../../app/services/point-systems/boosts";
import { createTrigger } from "../../../app/services/point-systems/triggers";
import { describeDraft } from "../../support/campaign-drafts";
import { createOwner } from "../../support/operators";
import { callLoader } from "../../support/pages";
import { other } from "../../support/test-database";

// Accepted from the management API and fixture files, though the platform's list has its former name only.
const ZONE = "Asia/Kolkata";

test("a form offers the time zone that its trigger, boost or draft has, so that a rename does not move it to UTC", async () => {
  const owner = await createOwner();
  const inADay = new Date(Date.now() + 86_400_000);
  await createTrigger(owner, {
    ...{ key: "daily", name: "Daily", points: 1, variable: null },
    cap: { window: "daily", timeZone: ZONE, times: 1, points: null },
  });
  const boostId = await createBoost(owner, {
    ...{ name: "Double", factor: 2, startsAt: null, endsAt: inADay, timeZone: ZONE },
    ...{ triggerKeys: null, wallets: null },
  });
  const draft = await createDraft(
    owner,
    describeDraft({ claimDeadline: inADay, deadlineTimeZone: ZONE }),
  );
  const trigger = await callLoader(readTriggerPage, owner, { triggerKey: "daily" });
  expect(trigger.timeZones).toContain(ZONE);
  const boost = await callLoader(readBoostPage, owner, { boostId });
  expect(boost.timeZones).toContain(ZONE);
  const { options } = await callLoader(readDraft, owner, { rewardId: draft.id });
  expect(options.timeZones).toContain(ZONE);
  expect(options.timeZones).toEqual([...new Set(options.timeZones)]);
});

test.each(["CET", "EET", "MET", "WET"])(
  "%s is refused: PostgreSQL reads it without the summer time that JavaScript knows",
  async (timeZone) => {
    const owner = await createOwner();
    const [row] = await other<{ summer: string }[]>`
      select (timestamptz '2026-07-01T00:00Z' at time zone ${timeZone})::text as summer`;
    expect(formatLocalTime(new Date("2026-07-01T00:00Z"), timeZone).slice(11)).not.toBe(
      row?.summer.slice(11, 16),
    );
    const trigger = { key: "daily", name: "Daily", points: 1, variable: null };
    const cap = { window: "daily", timeZone, times: 1, points: null } as const;
    await expect(createTrigger(owner, { ...trigger, cap })).rejects.toThrow("invalid_field");
    await createTrigger(owner, trigger);
  },
);

test("a boost that has such a time zone already can be changed", async () => {
  const owner = await createOwner();
  const boost = {
    ...{ name: "Double", factor: 2, endsAt: new Date(Date.now() + 86_400_000) },
    ...{ triggerKeys: null, wallets: null },
  };
  const id = await createBoost(owner, { ...boost, startsAt: null, timeZone: "UTC" });
  await other`update boosts set time_zone = 'CET' where id = ${id}`;
  await updateBoost(owner, id, { ...boost, name: "Twice" });
  const { name, timeZone } = await getBoost(owner.pointSystemId, id);
  expect({ name, timeZone }).toEqual({ name: "Twice", timeZone: "CET" });
});
