import { Field } from "../form/field";
import { type FormProblems, fieldOf } from "../form/problems";

/** Shows the fields of a new account. */
export function AccountFields({ problems }: { problems: FormProblems | undefined }) {
  return (
    <>
      <Field label="Your name" {...fieldOf(problems, "name")} autoComplete="name" maxLength={100} />
      <Field
        label="Email address"
        {...fieldOf(problems, "email")}
        type="email"
        autoComplete="username"
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
