import { expect, test } from "vitest";
import { readDeviceHashes } from "../../../app/auth/devices";
import { makeLinkCookie, readLinkCookie } from "../../../app/auth/link-cookie";

const [HTTPS, HTTP] = ["https://points.example.com", "http://localhost:3000"];

test("under https, no other host of the domain plants a link or a known browser", () => {
  for (const cookies of ["link=planted; __Host-link=genuine", "__Host-link=genuine; link=planted"])
    expect(readLinkCookie(cookies, HTTPS)).toBe("genuine");
  expect(readLinkCookie("link=planted", HTTPS)).toBe("");
  expect(readDeviceHashes(`device-01234567=${"a".repeat(43)}`, HTTPS)).toEqual([]);
  expect(readDeviceHashes(`__Host-device-01234567=${"a".repeat(43)}`, HTTPS)).toHaveLength(1);
});

test("a link's cookie is read as it was made, and no other text is a token", () => {
  for (const origin of [HTTPS, HTTP]) {
    const cookie = makeLinkCookie("a-token_1", origin).split(";")[0] ?? "";
    expect(readLinkCookie(`session=x; ${cookie}; notice=y`, origin)).toBe("a-token_1");
  }
  for (const cookies of ["", "link=", "link=a b", `link=${"a".repeat(201)}`, "xlink=a"])
    expect(readLinkCookie(cookies, HTTP)).toBe("");
});
