import { beforeAll, expect, test } from "vitest";
import { signIn } from "../../../app/services/accounts/sign-in";
import { signUp } from "../../../app/services/accounts/sign-up";
import {
  createOperator,
  createOrigin,
  describeOperator,
  failureOf,
  PASSWORD,
  tally,
} from "../../support/operators";

// Before the set-up nobody signs up.
beforeAll(createOperator);

test("signing up makes an account that runs nothing; a taken address is refused", async () => {
  const grace = describeOperator();
  const created = await signUp(grace, createOrigin("203.0.113.1"));
  expect(await signIn(grace, createOrigin())).toMatchObject({ ...created, isAdministrator: false });
  const refusal = await failureOf(signUp(grace, createOrigin("203.0.113.1")));
  expect(refusal).toMatchObject({ code: "email_unusable", details: { field: "email" } });
});

test("signing up is possible 10 times in 15 minutes from one network, however it ends", async () => {
  const { email } = await createOperator();
  const origin = createOrigin("203.0.113.2");
  const attempts = Array.from({ length: 30 }, (_, i) =>
    signUp({ ...describeOperator(), ...(i % 2 === 0 && { email }) }, origin),
  );
  const { succeeded = 0, email_unusable = 0, too_many_sign_ups } = await tally(attempts);
  expect(succeeded + email_unusable).toBe(10);
  expect(too_many_sign_ups).toBe(20);
  const { details } = await failureOf(signUp(describeOperator(), origin));
  expect(details.retryAfterSeconds).toBeGreaterThan(890);
  // An operator of the same network can still sign in.
  await signIn({ email, password: PASSWORD }, origin);
});
