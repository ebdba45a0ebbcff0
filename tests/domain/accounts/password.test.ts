import { expect, test } from "vitest";
import { containsName } from "../../../app/domain/accounts/password";

const ADA = { name: "Ada Lovelace", email: "countess.ada+shop@example.com" };

test.each([
  "adalovelace1815",
  "A-d-a Lovelace!!",
  "lovelace forever",
  "my LOVELACE 1815",
  "countess-of-keys",
  "countessada 1815",
  "Points and Rewards 1",
  "POINTS-AND-REWARDS",
  "pointsrewards2026",
])("%s contains a name", (password) => {
  expect(containsName(password, ADA)).toBe(true);
});

test.each([
  "correct horse battery",
  "a cascade of adages",
  "points for everyone",
  "example.com shop 1",
  "lovely lace curtains",
])("%s contains none", (password) => {
  expect(containsName(password, ADA)).toBe(false);
});

test("letters of any script count", () => {
  const person = { name: "Анна Ахматова", email: "a@example.com" };
  expect(containsName("моя ахматова 1912", person)).toBe(true);
  expect(containsName("совсем другое слово", person)).toBe(false);
  expect(containsName("long enough words", { name: "", email: "" })).toBe(false);
});
