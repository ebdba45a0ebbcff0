import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { TOTAL_POINTS_MAX } from "../../../app/domain/ledger/points";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import { getMember } from "../../../app/services/access/members";
import { findWalletEntry } from "../../../app/services/board/wallets";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { createMember, createOwner, failureOf, findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

const ALL = { action: null, actor: null, beforeId: null };

test("a grant credits, is an event without a name in the API, and is in the audit log", async () => {
  const s = await scene();
  const editor = await createMember(await findOwner(s.pointSystemId), "editor");
  await grantPoints(editor, { address: s.wallet, points: 250, note: "support case 7" });
  expect((await s.get("/wallet", { address: s.wallet })).body).toMatchObject({ points: 250 });
  const { body } = await s.get("/activity", { address: s.wallet });
  expect(body.activity).toMatchObject([{ points: 250, event: null }]);
  expect(JSON.stringify(body)).not.toContain("support case 7");
  const { entries } = await listPointSystemAudit(editor, ALL);
  expect(entries).toMatchObject([
    {
      action: "wallet.grant",
      actor: editor.actor.email,
      subject: s.wallet,
      after: { points: 250, note: "support case 7" },
    },
  ]);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a blacklisted wallet is granted nothing, and nothing is written down", async () => {
  const owner = await createOwner();
  const address = createAddress();
  await addToBlacklist(owner, [{ address, reason: null }]);
  const refused = await failureOf(grantPoints(owner, { address, points: 1, note: null }));
  expect(refused.code).toBe("wallet_blacklisted");
  expect(await findWalletEntry(owner.pointSystemId, address)).toBeNull();
  const { entries } = await listPointSystemAudit(owner, { ...ALL, action: "wallet.grant" });
  expect(entries).toEqual([]);
});

test("a grant over the most that a wallet may hold is refused beside the points", async () => {
  const address = createAddress();
  const s = await scene({
    events: Array.from({ length: 2 }, () => ({ address, points: 1_000_000_000 })),
  });
  const owner = await findOwner(s.pointSystemId);
  const points = TOTAL_POINTS_MAX - 1_999_999_999;
  const refused = await failureOf(grantPoints(owner, { address, points, note: null }));
  expect(refused).toMatchObject({ code: "points_limit_reached", details: { field: "points" } });
  expect(await s.pointsOf(address)).toBe(2_000_000_000);
});

test("a viewer becomes no member who may grant", async () => {
  const owner = await createOwner();
  const viewer = await createMember(owner, "viewer");
  const asked = getMember(viewer.actor, owner.pointSystemId, "editor");
  expect((await failureOf(asked)).code).toBe("role_missing");
});

test("a form that is sent twice, at once or again, grants once; with other values it is refused", async () => {
  const owner = await createOwner();
  const grant = { address: createAddress(), points: 40, note: "once", token: randomUUID() };
  await Promise.all([grantPoints(owner, grant), grantPoints(owner, grant)]);
  await grantPoints(owner, grant);
  expect(await findWalletEntry(owner.pointSystemId, grant.address)).toMatchObject({
    points: 40,
    events: 1,
  });
  const { entries } = await listPointSystemAudit(owner, { ...ALL, action: "wallet.grant" });
  expect(entries.length).toBe(1);
  for (const other of [{ points: 41 }, { note: null }, { address: createAddress() }]) {
    const refused = await failureOf(grantPoints(owner, { ...grant, ...other }));
    expect(refused.code).toBe("form_already_sent");
  }
  // The token counts within its point system only.
  const another = await createOwner();
  await grantPoints(another, grant);
  expect(await findWalletEntry(another.pointSystemId, grant.address)).toMatchObject({ points: 40 });
});
