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
}: {
  problems: FormProblems | undefined;
  publicName: string | null;
  intro: string | null;
  accentColor: string | null;
  hasLogo: boolean;
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
        hint="Made darker or lighter where it would be hard to read."
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
    </>
  );
}
