import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";

const HOUR_MS = 3_600_000;

/**
 * Asks for the moment from which deliveries are sent again.
 * @param props.now when the page was read, in milliseconds since 1970
 */
export function ReplayForm({ problems, now }: { problems: FormProblems | undefined; now: number }) {
  return (
    <div className="max-w-lg p-4 sm:p-5">
      <Form intent="replay" submitLabel="Send again" submitVariant="quiet" problems={problems}>
        <Field
          label="Since (UTC)"
          {...fieldOf(problems, "since", new Date(now - HOUR_MS).toISOString().slice(0, 16))}
          type="datetime-local"
          hint="All deliveries made since then are sent again, in their order and with their ids. A receiver that checks ids handles each once."
        />
      </Form>
    </div>
  );
}
