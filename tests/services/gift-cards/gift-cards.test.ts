import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Member } from "../../../app/services/access/members";
import { readGiftCodes } from "../../../app/services/gift-cards/code-lines";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import {
  cancelGiftCardReward,
  createGiftCardReward,
  publishGiftCardReward,
  updateGiftCardReward,
} from "../../../app/services/gift-cards/drafts";
import { getGiftCardReward } from "../../../app/services/gift-cards/gift-cards";
import { addGiftCardCodes, removeGiftCardCodes } from "../../../app/services/gift-cards/stock";
import { setKeyEnvironment } from "../../../app/services/keyring/keyring";
import {
  createCodes,
  createGiftCardKey,
  publishAsSeen,
  storeWallets,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { codeOf, createOwner, failureOf, tally } from "../../support/operators";
import { createAddress } from "../../support/scene";

const [OLD, NEW] = [createGiftCardKey("old"), createGiftCardKey("new")];
const TIERS = [
  { label: "Gold", minPoints: 1_000 },
  { label: "Silver", minPoints: 100 },
];

let owner: Member<"owner">;
let id: string;
beforeEach(async () => {
  useGiftCardKeys(OLD);
  owner = await createOwner();
  ({ id } = await createGiftCardReward(owner, { name: "Thanks", tiers: TIERS }));
});

const stockOf = async () =>
  Object.fromEntries(
    (await getGiftCardReward(owner, id)).tiers.map(({ label, inPool }) => [label, inPool]),
  );

describe("a draft", () => {
  test("has its tiers in the operator's order, and can be changed whole, thresholds swapped", async () => {
    await addGiftCardCodes(owner, id, "Gold", ["a"]);
    await updateGiftCardReward(owner, id, {
      name: "Season",
      tiers: [
        { label: "Bronze", minPoints: 10 },
        { label: "Silver", minPoints: 1_000 },
        { label: "Gold", minPoints: 100 },
      ],
    });
    const { name, tiers } = await getGiftCardReward(owner, id);
    expect(name).toBe("Season");
    expect(tiers).toMatchObject([
      { label: "Bronze", minPoints: 10, inPool: 0 },
      { label: "Silver", minPoints: 1_000, inPool: 0 },
      { label: "Gold", minPoints: 100, inPool: 1 },
    ]);
  });

  test("keeps a tier that has codes: without it the change is refused whole", async () => {
    await addGiftCardCodes(owner, id, "Gold", ["a"]);
    const failure = await failureOf(
      updateGiftCardReward(owner, id, { name: "x", tiers: [{ label: "Silver", minPoints: 5 }] }),
    );
    expect([failure.code, failure.details.field]).toEqual(["gift_card_tier_in_use", "labels"]);
    expect((await getGiftCardReward(owner, id)).tiers).toMatchObject(TIERS);
    await removeGiftCardCodes(owner, id, "Gold");
    await updateGiftCardReward(owner, id, {
      name: "x",
      tiers: [{ label: "Silver", minPoints: 5 }],
    });
    expect((await getGiftCardReward(owner, id)).tiers).toHaveLength(1);
  });

  test("is published or cancelled once, and not changed afterwards", async () => {
    const published = await tally([1, 2, 3].map(() => publishAsSeen(owner, id)));
    expect(published.succeeded).toBe(1);
    expect(await codeOf(updateGiftCardReward(owner, id, { name: "x", tiers: TIERS }))).toBe(
      "gift_card_reward_moved_on",
    );
    await cancelGiftCardReward(owner, id);
    expect(await codeOf(cancelGiftCardReward(owner, id))).toBe("gift_card_reward_moved_on");
    expect(await codeOf(publishAsSeen(owner, id))).toBe("gift_card_reward_moved_on");
    expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe(
      "gift_card_reward_moved_on",
    );
    expect(await codeOf(addGiftCardCodes(owner, id, "Gold", ["a"]))).toBe(
      "gift_card_reward_moved_on",
    );
    expect((await getGiftCardReward(owner, id)).status).toBe("cancelled");
  });

  test("is not cancelled once wallets have cards, as an active reward of a fixture file may", async () => {
    await addGiftCardCodes(owner, id, "Gold", ["a"]);
    await storeWallets(owner, [{ address: createAddress(), points: 5_000 }]);
    await publishAsSeen(owner, id);
    await distributeGiftCards(owner, id, "everyone");
    await withDatabase((db) =>
      db.execute(sql`update rewards set status = 'active', distributed_at = null where id = ${id}`),
    );
    expect(await codeOf(cancelGiftCardReward(owner, id))).toBe("gift_cards_given");
    expect((await getGiftCardReward(owner, id)).status).toBe("active");
  });

  test("is not published by a page that shows what it was before a colleague changed it", async () => {
    const { terms } = await getGiftCardReward(owner, id);
    await updateGiftCardReward(owner, id, {
      name: "Thanks",
      tiers: [{ label: "Gold", minPoints: 1 }],
    });
    expect(await codeOf(publishGiftCardReward(owner, id, terms))).toBe("gift_card_reward_moved_on");
    await updateGiftCardReward(owner, id, { name: "Thanks", tiers: TIERS });
    await publishGiftCardReward(owner, id, terms);
  });

  test("is nothing to the owner of another point system, nor is a token reward a gift card", async () => {
    const other = await createOwner();
    const steps = [
      getGiftCardReward(other, id),
      updateGiftCardReward(other, id, { name: "x", tiers: TIERS }),
      publishGiftCardReward(other, id, ""),
      cancelGiftCardReward(other, id),
      addGiftCardCodes(other, id, "Gold", ["a"]),
      removeGiftCardCodes(other, id, "Gold"),
      distributeGiftCards(other, id, "everyone"),
      getGiftCardReward(owner, randomUUID()),
      getGiftCardReward(owner, "nothing"),
    ];
    expect(await tally(steps)).toEqual({ not_found: steps.length });
  });
});

describe("codes", () => {
  test("are stored once for a reward, in whichever tier, also when added many times at once", async () => {
    const codes = createCodes(20);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => addGiftCardCodes(owner, id, "Gold", codes)),
    );
    expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(await addGiftCardCodes(owner, id, "Silver", [...codes, "another"])).toEqual({
      added: 1,
      present: 20,
    });
    expect(await stockOf()).toEqual({ Gold: 20, Silver: 1 });
    const { id: second } = await createGiftCardReward(owner, { name: "Second", tiers: TIERS });
    expect(await addGiftCardCodes(owner, second, "Gold", codes)).toEqual({ added: 20, present: 0 });
  });

  test("are known again when the keys were rotated meanwhile", async () => {
    await addGiftCardCodes(owner, id, "Gold", ["a", "b"]);
    useGiftCardKeys(NEW, OLD);
    expect(await addGiftCardCodes(owner, id, "Gold", ["b", "c"])).toEqual({ added: 1, present: 1 });
    expect(await addGiftCardCodes(owner, id, "Gold", ["c", "d"])).toEqual({ added: 1, present: 1 });
  });

  test("are refused while a key is missing, which the page says with the key's id", async () => {
    await addGiftCardCodes(owner, id, "Gold", ["a", "b"]);
    useGiftCardKeys(NEW);
    expect(await codeOf(addGiftCardCodes(owner, id, "Gold", ["a"]))).toBe("gift_card_keys_missing");
    expect((await getGiftCardReward(owner, id)).lockedCodes).toEqual([{ keyId: "old", codes: 2 }]);
    setKeyEnvironment({ DATABASE_URL: "postgres://localhost/x", DATA_DIR: "nowhere" });
    expect(await codeOf(addGiftCardCodes(owner, id, "Gold", ["z"]))).toBe("gift_card_keys_missing");
    expect((await getGiftCardReward(owner, id)).lockedCodes).toEqual([{ keyId: "old", codes: 2 }]);
  });

  test("are removed from a tier's pool, and those given away stay", async () => {
    await addGiftCardCodes(owner, id, "Gold", ["a", "b", "c"]);
    await addGiftCardCodes(owner, id, "Silver", ["d"]);
    await storeWallets(owner, [{ address: createAddress(), points: 5_000 }]);
    await publishAsSeen(owner, id);
    await distributeGiftCards(owner, id, "everyone");
    expect(await removeGiftCardCodes(owner, id, "Gold")).toBe(2);
    expect(await removeGiftCardCodes(owner, id, "Gold")).toBe(0);
    expect(await codeOf(removeGiftCardCodes(owner, id, "Bronze"))).toBe("not_found");
    expect(await stockOf()).toEqual({ Gold: 0, Silver: 1 });
    expect((await getGiftCardReward(owner, id)).tiers[0]).toMatchObject({ assigned: 1 });
  });

  test("50,000 of them are taken at once", async () => {
    const codes = createCodes(50_000);
    expect(await addGiftCardCodes(owner, id, "Gold", codes)).toEqual({ added: 50_000, present: 0 });
    expect(await stockOf()).toEqual({ Gold: 50_000, Silver: 0 });
  }, 120_000);

  test("every step has an audit entry with numbers, and without a code", async () => {
    const codes = createCodes(3);
    await addGiftCardCodes(owner, id, "Gold", codes);
    await addGiftCardCodes(owner, id, "Gold", codes);
    await removeGiftCardCodes(owner, id, "Gold");
    const entries = await withDatabase((db) =>
      db.execute<{ action: string; text: string }>(sql`
        select action, before::text || after::text || subject as text, after
        from audit_log where point_system_id = ${owner.pointSystemId} order by id`),
    );
    expect(entries.map(({ action }) => action)).toEqual([
      "gift_cards.create",
      "gift_codes.add",
      "gift_codes.remove",
    ]);
    expect(entries[1]).toMatchObject({ after: { tier: "Gold", codes: 3 } });
    for (const code of codes) expect(JSON.stringify(entries)).not.toContain(code);
  });
});

describe("an upload", () => {
  test("is read a code a line: trimmed, empty lines skipped, repeated and refused ones told", async () => {
    const long = "x".repeat(1_001);
    const text = ` AAAA \r\n\r\nB,B\n${long}\nAAAA\n\u0007bell\n${"y".repeat(1_000)}\n`;
    expect(await readGiftCodes(text, false)).toEqual({
      codes: ["AAAA", "B,B", "y".repeat(1_000)],
      headerLine: null,
      repeated: 1,
      refused: [
        { line: 4, problem: "too_long" },
        { line: 6, problem: "control_character" },
      ],
    });
  });

  test("of CSV is its one column, quoted or not, with or without a header", async () => {
    expect(await readGiftCodes('Code\n"A ""1"""\nB,2\nC,\n\nD;4\n', true)).toEqual({
      codes: ['A "1"', "C"],
      headerLine: 1,
      repeated: 0,
      refused: [
        { line: 3, problem: "several_columns" },
        { line: 6, problem: "several_columns" },
      ],
    });
    expect((await readGiftCodes("A\nB", true)).codes).toEqual(["A", "B"]);
  });

  test("has its header left out, wherever it comes from, and no line that a code follows", async () => {
    for (const header of ["code", "Gift code", "gift-card", "VOUCHER", '"Coupon code"', "Serial"]) {
      for (const isCsv of [false, true]) {
        for (const above of ["", "\n\n", "sep=,\r\n", "sep=;\n"]) {
          const read = await readGiftCodes(`${above}${header}\nA\nPIN\n`, isCsv);
          const headerLine = above.split("\n").length;
          expect(read, above + header).toMatchObject({ codes: ["A", "PIN"], headerLine });
        }
      }
    }
    expect(await readGiftCodes("sep=,\ncodeword\n", true)).toMatchObject({
      codes: ["codeword"],
      headerLine: null,
    });
    await expect(readGiftCodes("code\n", false)).rejects.toThrow("gift_card_codes_missing");
  });

  test("of CSV has a wrong row told by its first line, whatever ends its lines", async () => {
    for (const end of ["\r\n", "\n", "\r"]) {
      const rows = ["A", `"B${end}b"`, "C,2", "", `"D${end}${end}d"`, "E,2", `"F${end}f"`];
      const long = Array.from({ length: 8 }, () => "x".repeat(900));
      // Each line end of the rows is once at the edge of the pieces in which a file is read.
      for (let length = 930; length < 985; length += 1) {
        const text = [...long, "y".repeat(length), ...rows].join(end);
        const { refused } = await readGiftCodes(text, true);
        expect(refused.map(({ line }) => line)).toEqual([11, 13, 15, 18, 19]);
      }
    }
  });

  test("of CSV keeps a character of two halves at the edge of a piece whole", async () => {
    for (let length = 8_185; length < 8_195; length += 1) {
      const codes = ["x".repeat(900), "\u{1F600}"];
      const text = `${`${codes[0]}\n`.repeat(9)}${"\n".repeat(length - 9 * 901)}${codes[1]}`;
      expect((await readGiftCodes(text, true)).codes).toEqual(codes);
    }
  });

  test("of a line that does not end is refused before the line is read whole", async () => {
    for (const line of [",".repeat(5_000_000), "\t".repeat(5_000_000)]) {
      await expect(readGiftCodes(`A\n${line}`, true)).rejects.toThrow("gift_card_codes_missing");
    }
    const blank = `${",".repeat(50_000)}\n`;
    expect((await readGiftCodes(`A\n${blank.repeat(20)}B`, true)).codes).toEqual(["A", "B"]);
  });

  test("of many lines is read in pieces, and other work of the process runs between them", async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const text = Array.from({ length: 50_000 }, (_, i) => `c${i}`).join("\n");
    await readGiftCodes(text, false);
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });

  test("of nothing, or of too many lines, is refused", async () => {
    for (const text of ["", " \n \n", "\uFEFF"]) {
      await expect(readGiftCodes(text, false)).rejects.toThrow("gift_card_codes_missing");
    }
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join("\n");
    expect((await readGiftCodes(lines(50_000), false)).codes).toHaveLength(50_000);
    for (const text of [lines(50_001), "\n".repeat(200_000)]) {
      await expect(readGiftCodes(text, false)).rejects.toThrow("gift_card_codes_too_many");
    }
    for (const text of [lines(50_002), '""\n'.repeat(200_000)]) {
      await expect(readGiftCodes(text, true)).rejects.toThrow("gift_card_codes_too_many");
    }
  });
});
