import { Code } from "./code";

/** Each language has classes of its own: a radio button shows its panel without a script. */
const CLASSES = {
  curl: { radio: "peer/a", panel: "peer-checked/a:block" },
  TypeScript: { radio: "peer/b", panel: "peer-checked/b:block" },
  Python: { radio: "peer/c", panel: "peer-checked/c:block" },
} as const;

const CHOSEN =
  "peer-checked/a:[&_label:nth-child(1)]:bg-raised peer-checked/b:[&_label:nth-child(2)]:bg-raised peer-checked/c:[&_label:nth-child(3)]:bg-raised peer-checked/a:[&_label:nth-child(1)]:text-ink peer-checked/b:[&_label:nth-child(2)]:text-ink peer-checked/c:[&_label:nth-child(3)]:text-ink";
const FOCUSED =
  "peer-focus-visible/a:outline peer-focus-visible/b:outline peer-focus-visible/c:outline outline-2 outline-offset-2 outline-accent";

interface Sample {
  readonly language: keyof typeof CLASSES;
  readonly text: string;
}

/** Shows a call in each language, one at a time. It works without scripts. */
export function Samples({ samples }: { samples: readonly Sample[] }) {
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Language of the sample</legend>
      {samples.map(({ language }, i) => (
        <input
          key={language}
          type="radio"
          name="language"
          id={`language-${language}`}
          defaultChecked={i === 0}
          className={`sr-only ${CLASSES[language].radio}`}
        />
      ))}
      <div
        className={`inline-flex max-w-full flex-wrap rounded-lg border border-line bg-sunken p-1 text-[0.8125rem] ${CHOSEN} ${FOCUSED}`}
      >
        {samples.map(({ language }) => (
          <label
            key={language}
            htmlFor={`language-${language}`}
            className="inline-flex min-h-7 cursor-pointer items-center rounded-md px-3 text-ink-muted hover:text-ink"
          >
            {language}
          </label>
        ))}
      </div>
      {samples.map(({ language, text }) => (
        <div key={language} className={`mt-3 hidden ${CLASSES[language].panel}`}>
          <Code label={`Sample in ${language}`} text={text} />
        </div>
      ))}
    </fieldset>
  );
}
