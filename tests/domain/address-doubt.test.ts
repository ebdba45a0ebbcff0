import { expect, test } from "vitest";
import { describeAddressDoubt } from "../../app/domain/address-doubt";

const CHECKSUMMED = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

test("a wrong checksum and the zero address are doubtful", () => {
  expect(describeAddressDoubt(CHECKSUMMED.replace("dA6", "Da6"))).toContain("checksum");
  expect(describeAddressDoubt(` ${CHECKSUMMED.replace("045", "046")} `)).toContain("checksum");
  expect(describeAddressDoubt(`0x${"0".repeat(40)}`)).toContain("Nobody");
});

test.each([
  CHECKSUMMED,
  CHECKSUMMED.toLowerCase(),
  CHECKSUMMED.toUpperCase().replace("0X", "0x"),
  "alice.eth",
  "",
])("nothing is doubtful about %j", (text) => {
  expect(describeAddressDoubt(text)).toBeNull();
});
