import { expect } from "@playwright/test";
import {
  ADA,
  addressOf,
  button,
  connect,
  expectSeen,
  holder,
  open,
  other,
  setUpClaims,
} from "../../support/e2e/claim-scene";
import { enter, test } from "../../support/e2e/server";
import { injectWallet } from "../../support/e2e/wallet";

// A holder links two wallets through the claim page, by a signature of each.

const scene = setUpClaims();

test("a holder counts two wallets' points together by a signature of each", async ({ page }) => {
  const wallet = await injectWallet(page, { anvil: scene.anvil, account: other });
  await open(scene, page);
  await connect(page);
  await button(page, "Count another wallet's points together").click();
  await expect(page.getByText("They do not move back.")).toBeVisible();
  await expectSeen(page, "link-choosing");
  await button(page, "Collect the points in the connected wallet").click();
  await expect(page.getByText("Now disconnect it above")).toBeVisible();
  await button(page, "Disconnect").click();
  wallet.account = holder;
  await connect(page);
  await button(page, "Sign with this other wallet").click();
  await expect(page.getByText("has to sign too")).toBeVisible();
  await expectSeen(page, "link-half-signed");
  await button(page, "Disconnect").click();
  wallet.account = other;
  await connect(page);
  await button(page, "Sign and count together").click();
  await expect(page.getByText("Done: the points of")).toBeVisible();
  await expectSeen(page, "link-linked");
  expect(wallet.methods.filter((method) => method === "personal_sign")).toHaveLength(2);
  // The points have moved to the primary wallet.
  await enter(page, scene.server.url, ADA);
  await page.goto(`${scene.server.url}/dashboard/${scene.system}/wallets/${addressOf(other)}`);
  await expect(page.getByText("These wallets count for this one:")).toBeVisible();
  await expect(page.getByText("with the signatures of both wallets")).toBeVisible();
  await expect(page.locator(`a[href$="/wallets/${addressOf(holder)}"]`).first()).toBeVisible();
  await expect(page.locator("dl").first()).toContainText("Points40");

  // Its holder unlinks it with its own signature; the points stay where they are.
  await open(scene, page);
  await button(page, "Disconnect").click();
  wallet.account = holder;
  await connect(page);
  await button(page, "Count another wallet's points together").click();
  await button(page, "Unlink the connected wallet").click();
  await expect(page.getByText("Done: this wallet earns its own points again.")).toBeVisible();
  await expectSeen(page, "link-unlinked");
  await button(page, "Unlink the connected wallet").click();
  await expect(page.getByText("This wallet is not linked")).toBeVisible();
  await page.goto(`${scene.server.url}/dashboard/${scene.system}/wallets/${addressOf(other)}`);
  await expect(page.locator("dl").first()).toContainText("Points40");
  await expect(page.getByText("These wallets count for this one:")).toBeHidden();
});
