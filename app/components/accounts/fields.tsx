import { Field } from "../form/field";
import type { FormProblems } from "../form/problems";

/** Shows the fields of a new account. */
export function AccountFields({ problems }: { problems: FormProblems | undefined }) {
  return (
    <>
      <Field
        label="Your name"
        name="name"
        autoComplete="name"
        maxLength={100}
        defaultValue={problems?.values.name}
        problem={problems?.fields.name}
      />
      <Field
        label="Email address"
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={problems?.values.email}
        problem={problems?.fields.email}
      />
      <NewPasswordField label="Password" name="password" problems={problems} />
    </>
  );
}

/** Shows the field of a new password. */
export function NewPasswordField({
  label,
  name,
  problems,
}: {
  label: string;
  name: string;
  problems: FormProblems | undefined;
}) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      hint="At least 12 characters, without your name. A few words in a row are easy to remember."
      problem={problems?.fields[name]}
    />
  );
}
