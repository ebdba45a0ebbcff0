import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { listPointSystemAudit } from "../../../app/services/access/audit-log";
import { listWalletDays } from "../../../app/services/activity/wallet-days";
import { listWalletHistory } from "../../../app/services/activity/wallet-history";
import {
  addWalletNote,
  deleteWalletNote,
  listWalletNotes,
  WALLET_NOTES_MAX,
} from "../../../app/services/board/wallet-notes";
import { listTriggerDays } from "../../../app/services/insights/trigger-days";
import { grantPoints } from "../../../app/services/ledger/grants";
import { voidEvent } from "../../../app/services/ledger/voids";
import { createMember, createOwner, failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";

const ALL = { action: null, actor: null, beforeId: null };

test("a note is read by all members, with its author, and the audit log has it", async () => {
  const owner = await createOwner();
  const editor = await createMember(owner, "editor");
  const viewer = await createMember(owner, "viewer");
  const address = createAddress();
  const id = randomUUID();
  await addWalletNote(editor, { address, note: "Called us\nin May", id });
  await addWalletNote(editor, { address, note: "Sent twice", id });
  expect(await listWalletNotes(owner, address)).toMatchObject([
    { id, note: "Called us\nin May", operator: editor.actor.email },
  ]);
  expect((await listWalletNotes(viewer, address))[0]?.operator).toBe("Ada");
  expect(await listWalletNotes(owner, createAddress())).toEqual([]);
  const { entries } = await listPointSystemAudit(owner, { ...ALL, action: "wallet.note" });
  expect(entries).toMatchObject([{ subject: address, after: { note: "Called us\nin May" } }]);
});

test("a note is deleted once, from its wallet and its point system alone", async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  const [address, id] = [createAddress(), randomUUID()];
  await addWalletNote(owner, { address, note: "Hello", id });
  expect(await deleteWalletNote(other, address, id)).toBe(false);
  expect(await deleteWalletNote(owner, createAddress(), id)).toBe(false);
  expect(await deleteWalletNote(owner, address, id)).toBe(true);
  expect(await deleteWalletNote(owner, address, id)).toBe(false);
  expect(await listWalletNotes(owner, address)).toEqual([]);
  const { entries } = await listPointSystemAudit(owner, { ...ALL, action: "wallet.note_delete" });
  expect(entries).toMatchObject([{ subject: address, before: { note: "Hello" } }]);
});

test("a wallet has 50 notes at most, also when they are added at once", async () => {
  const owner = await createOwner();
  const address = createAddress();
  const add = () => addWalletNote(owner, { address, note: "Note", id: randomUUID() });
  const results = await Promise.allSettled(Array.from({ length: WALLET_NOTES_MAX + 3 }, add));
  expect(results.filter(({ status }) => status === "fulfilled").length).toBe(WALLET_NOTES_MAX);
  expect((await failureOf(add())).code).toBe("too_many_notes");
});

test("the days of a wallet and of a trigger end today and count what is not voided", async () => {
  const owner = await createOwner();
  const address = createAddress();
  await grantPoints(owner, { address, points: 30, note: null });
  await grantPoints(owner, { address, points: 12, note: null });
  const { rows } = await listWalletHistory(owner, address, null);
  const twelve = rows.find(({ points }) => points === 12);
  if (!twelve) throw new Error("The grant is in the history");
  await voidEvent(owner, { date: twelve.date, id: twelve.id }, null);
  const days = await listWalletDays(owner, address);
  expect(days?.length).toBe(30);
  expect(days?.reduce((sum, { value }) => sum + value, 0)).toBe(30);
  // Midnight can lie between the grants and now.
  expect(days?.slice(-2).some(({ value }) => value === 30)).toBe(true);
  const unused = await listTriggerDays(owner, "nothing");
  expect(unused.length).toBe(30);
  expect(unused.every(({ points, events }) => points === 0 && events === 0)).toBe(true);
});
