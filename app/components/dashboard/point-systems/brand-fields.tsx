import { CheckboxGroup } from "../../form/checkbox-group";
import { Field } from "../../form/field";
import { FileField } from "../../form/file-field";
import { type FormProblems, fieldOf } from "../../form/problems";
import { TextAreaField } from "../../form/text-area-field";

/** Shows the fields of a point system's look on its public pages. */
export function BrandFields({
  problems,
  publicName,
  intro,
  accentColor,
  hasLogo,
  triggers,
}: {
  problems: FormProblems | undefined;
  publicName: string | null;
  intro: string | null;
  accentColor: string | null;
  hasLogo: boolean;
  triggers: readonly { key: string; name: string; isActive: boolean; isPublic: boolean }[];
}) {
  return (
    <>
      <Field
        label="Title"
        {...fieldOf(problems, "publicName", publicName ?? "")}
        autoComplete="off"
        maxLength={100}
        isOptional
        hint="Shown instead of the point system's name."
      />
      <TextAreaField
        label="Introduction"
        {...fieldOf(problems, "intro", intro ?? "")}
        maxLength={600}
        isOptional
      />
      <Field
        label="Accent colour"
        {...fieldOf(problems, "accentColor", accentColor ?? "")}
        autoComplete="off"
        spellCheck={false}
        maxLength={7}
        placeholder="#3f42c4"
        isOptional
        hint="Fills buttons unchanged. Links get a legible shade of it."
      />
      <FileField
        label={hasLogo ? "New logo" : "Logo"}
        name="logo"
        accept="image/png,image/jpeg,image/webp"
        isOptional
        hint="PNG, JPEG or WebP, at most 64 KiB."
        problem={problems?.fields.logo}
      />
      {hasLogo && (
        <CheckboxGroup
          label="Current logo"
          name="removeLogo"
          options={[{ value: "yes", label: "Remove logo" }]}
          defaultValues={problems?.lists.removeLogo}
        />
      )}
      {triggers.length > 0 && (
        <CheckboxGroup
          label="How to earn"
          name="publicTriggers"
          isOptional
          hint="The public leaderboard lists these triggers, with their points."
          options={triggers.map(({ key, name, isActive }) => ({
            value: key,
            label: name,
            hint: isActive ? undefined : "Inactive: listed once it is active.",
          }))}
          defaultValues={
            problems?.lists.publicTriggers ??
            triggers.filter(({ isPublic }) => isPublic).map(({ key }) => key)
          }
        />
      )}
    </>
  );
}
