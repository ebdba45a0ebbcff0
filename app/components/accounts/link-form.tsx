import { useSubmit } from "@remix-run/react";
import { useEffect } from "react";
import { Field } from "../form/field";
import { Form } from "../form/form";
import { type FormProblems, problemsOf } from "../form/problems";

export const LINK_INTENT = "open";

/**
 * Posts the token in the address's fragment, which no server sees, and takes it out of the address.
 * Without JavaScript, `LinkForm` takes the link.
 */
export function useLinkInFragment(): void {
  const submit = useSubmit();
  useEffect(() => {
    const open = () => {
      const link = window.location.hash.slice(1);
      if (!link.startsWith("token=")) return;
      submit({ intent: LINK_INTENT, link }, { method: "post", replace: true });
    };
    open();
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, [submit]);
}

/** Takes a link that a person was sent, where scripts do not run or another link was opened. */
export function LinkForm({ answer }: { answer: { problems: FormProblems } | object | undefined }) {
  const problems = problemsOf(answer, LINK_INTENT);
  return (
    <Form intent={LINK_INTENT} problems={problems} submitLabel="Open">
      <Field
        label="Link"
        name="link"
        autoComplete="off"
        hint="Paste the whole link here if it did not open by itself."
        problem={problems?.fields.link}
      />
    </Form>
  );
}
