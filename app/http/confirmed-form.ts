import type { AppLoadContext } from "@remix-run/node";
import { z } from "zod";
import { CONFIRM_FIELD } from "../components/form/problems";
import type { Actor } from "../services/access/members";
import { confirmOperator } from "../services/accounts/confirmation";
import { readStoredSessionId, renewBrowserSession } from "./browser";
import { form } from "./form";

/**
 * Declares one of a page's forms for a step that hands out power or value, as `form` does. Ten
 * minutes after the operator gave the password, the form comes back with a field that takes it.
 */
export function confirmedForm<Schema extends z.ZodObject, Answer>(
  args: { readonly request: Request; readonly context: AppLoadContext },
  actor: Actor,
  schema: Schema,
  handle: (values: z.output<Schema>) => Promise<Answer>,
): ReturnType<typeof form<Schema, Answer>> {
  return {
    shape: { ...schema.shape, [CONFIRM_FIELD]: z.string() },
    take({ [CONFIRM_FIELD]: password, ...values }) {
      const confirmed = form(schema, async (inputs) => {
        const given = { password: String(password), field: CONFIRM_FIELD };
        const isGiven = await confirmOperator(actor, readStoredSessionId(args), given);
        try {
          return await handle(inputs);
        } finally {
          // Last, since handlers know the session by the id that came with the request.
          if (isGiven) await renewBrowserSession(args);
        }
      });
      return confirmed.take(values);
    },
  };
}
