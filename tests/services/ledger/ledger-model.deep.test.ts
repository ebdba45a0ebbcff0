import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Member } from "../../../app/services/access/members";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { atDepth } from "../../support/depth";
import { findOwner } from "../../support/operators";
import { scene } from "../../support/scene";

// There are few wallets and triggers, so that histories collide.
const WALLETS = [0, 1, 2, 3].map((n) => `0x${n.toString(16).repeat(40)}` as const);
const TRIGGERS = { small: 1, large: 250 } as const;
type TriggerKey = keyof typeof TRIGGERS;

const wallet = fc.constantFrom(...WALLETS);
const trigger = fc.constantFrom<TriggerKey>("small", "large");

/** Calls of one kind, all at once: separate calls, or repeats of one. */
const volley = fc.record({
  wallet,
  trigger,
  calls: fc.integer({ min: 1, max: 14 }),
  isRepeated: fc.boolean(),
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("burst" as const),
      volleys: fc.uniqueArray(volley, {
        minLength: 1,
        maxLength: 6,
        selector: (v) => `${v.wallet} ${v.trigger}`,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("grant" as const),
      wallet,
      points: fc.integer({ min: 1, max: 1_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("blacklist" as const), wallet }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pardon" as const), wallet }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("replay" as const), pick: fc.nat() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A model of the service's promises, without a database. */
class Model {
  readonly wallets = new Map<string, { points: number; events: number }>();
  readonly blacklisted = new Set<string>();
  /** Credits of the last minute: every history here is shorter than that. */
  readonly used = new Map<string, number>();
  readonly replays: { key: string; wallet: string; trigger: TriggerKey }[] = [];

  credit(address: string, points: number): void {
    const { points: before, events } = this.wallets.get(address) ?? { points: 0, events: 0 };
    this.wallets.set(address, { points: before + points, events: events + 1 });
  }

  /**
   * Fires a trigger.
   * @returns the number of calls that are admitted
   */
  fire(address: string, key: TriggerKey, calls: number): number {
    const used = this.used.get(`${address} ${key}`) ?? 0;
    const admitted = Math.min(calls, 10 - used);
    this.used.set(`${address} ${key}`, used + admitted);
    for (let i = 0; i < admitted; i += 1) this.credit(address, TRIGGERS[key]);
    return admitted;
  }

  board() {
    return [...this.wallets]
      .filter(([address]) => !this.blacklisted.has(address))
      .sort(([a, x], [b, y]) => y.points - x.points || (a < b ? -1 : 1))
      .map(([address, standing], i) => ({ rank: i + 1, address, ...standing }));
  }
}

type Scene = Awaited<ReturnType<typeof scene>> & { owner: Member<"owner"> };

async function burst(
  { fire }: Scene,
  model: Model,
  volleys: Extract<Step, { kind: "burst" }>["volleys"],
): Promise<void> {
  const expected: number[] = [];
  const answers = await Promise.all(
    volleys.flatMap((v) => {
      const key = randomUUID();
      const isRefused = model.blacklisted.has(v.wallet);
      const admitted = isRefused ? 0 : model.fire(v.wallet, v.trigger, v.isRepeated ? 1 : v.calls);
      if (v.isRepeated && admitted === 1) model.replays.push({ key, ...v });
      const succeeded = v.isRepeated ? admitted * v.calls : admitted;
      return Array.from({ length: v.calls }, (_, i) => {
        expected.push(isRefused ? 403 : i < succeeded ? 200 : 429);
        return fire(
          { walletAddress: v.wallet, triggerKey: v.trigger },
          v.isRepeated ? { "Idempotency-Key": key } : {},
        );
      });
    }),
  );
  // The number of admitted calls of a volley is promised, but not which ones.
  let at = 0;
  for (const { calls } of volleys) {
    const sorted = (statuses: number[]) => statuses.slice(at, at + calls).sort();
    expect(sorted(answers.map(({ status }) => status))).toEqual(sorted(expected));
    at += calls;
  }
}

async function act(s: Scene, model: Model, step: Step): Promise<void> {
  if (step.kind === "burst") {
    await burst(s, model, step.volleys);
  } else if (step.kind === "grant") {
    const grant = grantPoints(s.owner, {
      address: step.wallet,
      points: step.points,
      note: null,
    });
    if (model.blacklisted.has(step.wallet)) {
      await expect(grant).rejects.toMatchObject({ code: "wallet_blacklisted" });
    } else {
      await grant;
      model.credit(step.wallet, step.points);
    }
  } else if (step.kind === "blacklist") {
    const added = await addToBlacklist(s.owner, [{ address: step.wallet, reason: "test" }]);
    expect(added).toBe(model.blacklisted.has(step.wallet) ? 0 : 1);
    model.blacklisted.add(step.wallet);
  } else if (step.kind === "pardon") {
    const removed = await removeFromBlacklist(s.owner, [step.wallet]);
    expect(removed).toBe(model.blacklisted.delete(step.wallet) ? 1 : 0);
  } else if (model.replays.length > 0) {
    const replay = model.replays[step.pick % model.replays.length];
    const answer = await s.fire(
      { walletAddress: replay?.wallet, triggerKey: replay?.trigger },
      { "Idempotency-Key": replay?.key ?? "" },
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
  }
}

test("after any history of bursts, grants and blacklists, the service stands as the model does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const created = await scene({
        triggers: Object.entries(TRIGGERS).map(([key, points]) => ({ key, points })),
      });
      const s = { ...created, owner: await findOwner(created.pointSystemId) };
      const model = new Model();
      for (const next of steps) await act(s, model, next);

      const board = model.board();
      expect((await s.get("/leaderboard")).body).toMatchObject({
        leaderboard: board,
        pagination: { total: board.length },
      });
      for (const [address, standing] of model.wallets) {
        expect((await s.get("/wallet", { address })).body).toMatchObject(standing);
      }
      const events = [...model.wallets.values()].reduce((sum, w) => sum + w.events, 0);
      expect((await s.get("/activity")).body.pagination.total).toBe(events);
      expect((await verifyLedger()).differences).toEqual([]);
    }),
    { numRuns: atDepth(15, 40) },
  );
}, 120_000);
