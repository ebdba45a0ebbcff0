import { WEBHOOK_EVENT_TYPE_NAMES, WEBHOOK_EVENT_TYPES } from "../../../domain/webhooks/events";
import { CheckboxGroup } from "../../form/checkbox-group";
import { Field } from "../../form/field";
import { type FormProblems, fieldOf } from "../../form/problems";

const OPTIONS = WEBHOOK_EVENT_TYPE_NAMES.map((type) => ({
  value: type,
  label: type,
  hint: WEBHOOK_EVENT_TYPES[type],
}));

const NEW = { url: "", eventTypes: ["points.credited", "points.voided"] };

/**
 * Shows the fields of an endpoint.
 * @param props.webhook the endpoint as it is; a new one by default
 */
export function WebhookFields({
  webhook = NEW,
  problems,
}: {
  webhook?: { readonly url: string; readonly eventTypes: readonly string[] };
  problems: FormProblems | undefined;
}) {
  return (
    <>
      <Field
        label="URL"
        {...fieldOf(problems, "url", webhook.url)}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        hint="Where deliveries are posted, such as: https://example.com/webhooks/points"
      />
      <CheckboxGroup
        label="Events"
        name="eventTypes"
        hint="Choose what this endpoint receives from now on."
        options={OPTIONS}
        defaultValues={problems?.lists.eventTypes ?? webhook.eventTypes}
        problem={problems?.fields.eventTypes}
      />
    </>
  );
}
