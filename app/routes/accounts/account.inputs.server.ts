import { z } from "zod";

/** An e-mail address as accounts store it: in lower case, without the spaces that copying adds. */
export const EmailInput = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email("Enter an email address such as you@example.com").max(254, "This is too long"));

/** A person's name: one line of text. */
export const NameInput = z
  .string()
  .trim()
  .min(1, "Enter a name")
  .max(100, "Use at most 100 characters")
  .regex(/^\P{Cc}*$/u, "Use letters, digits and spaces");

/** A new password. Any character is allowed; the services refuse common ones. */
export const NewPasswordInput = z
  .string()
  .min(12, "Use at least 12 characters")
  .max(1_000, "This is too long");

/** The fields of a new account. */
export const NewAccountInputs = z.object({
  name: NameInput,
  email: EmailInput,
  password: NewPasswordInput,
});
