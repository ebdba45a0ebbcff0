import { useFormAction, useNavigation } from "@remix-run/react";

/**
 * Checks whether this form of the page, and not another one, is being submitted.
 * @param fields the fields that tell it apart from forms with the same intent, as those of a
 *   table's rows
 */
export function useIsSubmitting(
  intent: string,
  fields: Readonly<Record<string, string>> = {},
): boolean {
  const { formMethod, formAction, formData } = useNavigation();
  const ownAction = useFormAction();
  if (formMethod !== "POST" || formAction !== ownAction || !formData) return false;
  if ((formData.get("intent") ?? "") !== intent) return false;
  return Object.entries(fields).every(([name, value]) => formData.get(name) === value);
}
