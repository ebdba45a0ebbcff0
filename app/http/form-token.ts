import { z } from "zod";
import { createEventId } from "../domain/ledger/event-id";

/** Creates the token of a form, so that it takes effect once however often it is sent. */
export const createFormToken = createEventId;

/** The token of such a form. A form without one is taken as a new one. */
export const FormToken = z.uuid().catch(createFormToken);
