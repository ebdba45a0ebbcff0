import { useFormAction, useNavigation } from "@remix-run/react";

/**
 * Whether this form of the page is on its way, and not another one.
 * @param fields what tells it apart from forms with the same intent, as those of a table's rows
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
