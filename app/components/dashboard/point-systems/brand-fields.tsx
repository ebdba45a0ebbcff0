import { CheckboxGroup } from "../../form/checkbox-group";
import { Field } from "../../form/field";
import { FileField } from "../../form/file-field";
import type { FormProblems } from "../../form/problems";
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
        name="publicName"
        autoComplete="off"
        maxLength={100}
        isOptional
        hint="Shown instead of the point system's name."
        defaultValue={problems?.values.publicName ?? publicName ?? ""}
        problem={problems?.fields.publicName}
      />
      <TextAreaField
        label="Introduction"
        name="intro"
        maxLength={600}
        isOptional
        defaultValue={problems?.values.intro ?? intro ?? ""}
        problem={problems?.fields.intro}
      />
      <Field
        label="Accent colour"
        name="accentColor"
        autoComplete="off"
        spellCheck={false}
        maxLength={7}
        placeholder="#3f42c4"
        isOptional
        hint="Fills buttons unchanged. Links get a legible shade of it."
        defaultValue={problems?.values.accentColor ?? accentColor ?? ""}
        problem={problems?.fields.accentColor}
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
