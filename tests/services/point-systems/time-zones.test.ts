import { expect, test } from "vitest";
import { loader as readDraft } from "../../../app/routes/dashboard/campaigns/edit";
import { loader as readBoostPage } from "../../../app/routes/dashboard/point-systems/boost";
import { loader as readTriggerPage } from "../../../app/routes/dashboard/point-systems/trigger";
import { createDraft } from "../../../app/services/campaigns/steps";
import { createBoost } from "../../../app/services/point-systems/boosts";
import { createTrigger } from "../../../app/services/point-systems/triggers";
import { describeDraft } from "../../support/campaign-drafts";
import { createOwner } from "../../support/operators";
import { callLoader } from "../../support/pages";

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
