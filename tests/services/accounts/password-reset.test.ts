import { randomBytes, randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { startSession } from "../../../app/auth/sessions";
import { withDatabase } from "../../../app/db/client";
import { sessions } from "../../../app/db/schema/sessions";
import { listAccountAudit } from "../../../app/services/access/audit-log";
import { createInvitation, findInvitation } from "../../../app/services/accounts/account-links";
import { acceptAsNewOperator } from "../../../app/services/accounts/invitations";
import {
  createResetLink,
  findResetLink,
  resetPassword,
} from "../../../app/services/accounts/password-reset";
import { signIn } from "../../../app/services/accounts/sign-in";
import {
  ageLinks,
  codeOf,
  createAdministrator,
  createOperator,
  createOrigin,
  describeOperator,
  PASSWORD,
  tally,
} from "../../support/operators";

const NO_FILTER = { action: null, actor: null, beforeId: null };

describe("a reset link", () => {
  const startBrowser = (operatorId: string) =>
    startSession(
      { id: operatorId },
      { cookies: "", ip: "192.0.2.7", userAgent: "" },
      "http://localhost:3000",
    );
  const countSessions = (operatorId: string) =>
    withDatabase((db) => db.$count(sessions, eq(sessions.operatorId, operatorId)));

  test("sets the password, once, and signs out everywhere", async () => {
    const administrator = await createAdministrator();
    const [grace, other] = [await createOperator(), await createOperator()];
    await startBrowser(grace.id);
    await startBrowser(other.id);
    const { token } = await createResetLink(administrator, grace.id);
    expect(await findResetLink(token)).toMatchObject({ email: grace.email });
    const password = "another long passphrase";
    expect(await resetPassword(token, password, createOrigin())).toMatchObject(grace);
    expect(await countSessions(grace.id)).toBe(0);
    expect(await countSessions(other.id)).toBe(1);
    expect(await codeOf(signIn({ email: grace.email, password: PASSWORD }, createOrigin()))).toBe(
      "sign_in_refused",
    );
    expect(await signIn({ email: grace.email, password }, createOrigin())).toMatchObject(grace);
    expect(await findResetLink(token)).toBeNull();
    expect(await codeOf(resetPassword(token, password, createOrigin()))).toBe("link_invalid");
    const { entries } = await listAccountAudit(grace.id, NO_FILTER);
    expect(entries.map(({ action }) => action)).toContain("operator.reset");
  });

  test("of 50 at once sets one password", async () => {
    const grace = await createOperator();
    const { token } = await createResetLink(null, grace.id);
    const attempts = Array.from({ length: 50 }, (_, i) =>
      resetPassword(token, `passphrase number ${i}`, createOrigin()),
    );
    expect(await tally(attempts)).toEqual({ succeeded: 1, link_invalid: 49 });
  });

  test("takes the former one's place, lives a day, and is no invitation", async () => {
    const grace = await createOperator();
    const { token: former } = await createResetLink(null, grace.id);
    const { token } = await createResetLink(null, grace.id);
    expect(await findResetLink(former)).toBeNull();
    expect(await findInvitation(token, null)).toBeNull();
    expect(await codeOf(acceptAsNewOperator(token, describeOperator(), createOrigin()))).toBe(
      "link_invalid",
    );
    const invitation = await createInvitation(await createAdministrator(), null);
    expect(await codeOf(resetPassword(invitation, PASSWORD, createOrigin()))).toBe("link_invalid");
    await ageLinks(23);
    expect(await findResetLink(token)).not.toBeNull();
    await ageLinks(1);
    expect(await findResetLink(token)).toBeNull();
    for (const unknown of [token, "", randomBytes(32).toString("base64url")]) {
      expect(await codeOf(resetPassword(unknown, PASSWORD, createOrigin()))).toBe("link_invalid");
    }
  });

  test("is made for operators that there are", async () => {
    for (const id of [randomUUID(), "nonsense"]) {
      expect(await codeOf(createResetLink(null, id))).toBe("not_found");
    }
  });
});
