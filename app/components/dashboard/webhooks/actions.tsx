import { ConfirmForm } from "../../form/confirm-form";
import { Form } from "../../form/form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { ActionMenu } from "../../ui/menu";

const STARTS = [
  {
    value: "where-it-stopped",
    label: "Where it stopped",
    hint: "Events from the meantime are delivered first.",
  },
  { value: "now", label: "From now on", hint: "Events from the meantime are skipped." },
];

/** Shows the steps of an endpoint to those who may take them. */
export function WebhookActions({
  url,
  isOff,
  secretMark,
  answer,
}: {
  url: string;
  isOff: boolean;
  secretMark: string;
  /** The answer of the page's action. */
  answer: { problems: FormProblems } | object | undefined;
}) {
  const starting = problemsOf(answer, "on");
  const [stopping, rotation, deletion] = ["off", "rotate", "delete"].map((intent) =>
    problemsOf(answer, intent),
  );
  return (
    <>
      {isOff ? (
        <ConfirmForm
          intent="on"
          label="Switch on"
          variant="primary"
          heading="Switch this webhook on?"
          text="Choose where its deliveries begin."
          confirmLabel="Switch on"
          confirmVariant="primary"
          problems={starting}
        >
          <RadioGroup
            label="Start"
            name="from"
            options={STARTS}
            defaultValue={starting?.values.from ?? "where-it-stopped"}
            problem={starting?.fields.from}
          />
        </ConfirmForm>
      ) : (
        <Form intent="test" submitLabel="Send a test" problems={problemsOf(answer, "test")} />
      )}
      <ActionMenu
        id="webhook-actions"
        label="More actions"
        hasProblems={Boolean(stopping ?? rotation ?? deletion)}
      >
        {!isOff && (
          <ConfirmForm
            intent="off"
            isInMenu
            label="Switch off"
            heading="Switch this webhook off?"
            text="Nothing is delivered until it is on again. Events wait meanwhile."
            confirmLabel="Switch off"
            problems={stopping}
          />
        )}
        <ConfirmForm
          intent="rotate"
          isInMenu
          fields={{ seen: secretMark }}
          label="Rotate the secret"
          heading="Rotate the signing secret?"
          text="A new secret is shown once. For 24 hours, deliveries are signed with the former one too, so that you can change your receiver."
          confirmLabel="Rotate the secret"
          confirmVariant="primary"
          problems={rotation}
        />
        <ConfirmForm
          intent="delete"
          isInMenu
          label="Delete"
          heading="Delete this webhook?"
          text={
            <span className="break-all">
              {url} receives nothing from now on, and waiting deliveries are dropped. This cannot be
              undone.
            </span>
          }
          confirmLabel="Delete the webhook"
          problems={deletion}
        />
      </ActionMenu>
    </>
  );
}
