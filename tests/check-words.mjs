// Part of `npm run check`: checks the openings of doc comments, the lengths of commit subjects and of records, and the links and paths of documents.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** A doc comment's first sentence begins with a verb or with the term itself: CONTRIBUTING.md. */
const FORBIDDEN_OPENING =
  /^(?:what|whatever|who|whoever|whom|whose|where|wherever|which|of|that|those who|to whom)\b/i;
const DOC_COMMENT = /\/\*\*[ \t]*(?:\n\s*\*[ \t]*)?([^\n]*)/g;

/** The most words of a text, beside its tables. */
const WORDS_MAX = [
  { files: /^docs\/decisions\/\d.*\.md$/, words: 400 },
  { files: /^README\.md$/, words: 500 },
];

const SUBJECT_LENGTH_MAX = 72;
/** Subjects up to this commit are not checked. */
const FIRST_CHECKED_AFTER = "c493280";

/**
 * Finds the doc comments of a file that have a forbidden opening.
 * @param {string} text
 * @returns {{ line: number, opening: string }[]}
 */
export function findForbiddenOpenings(text) {
  return [...text.matchAll(DOC_COMMENT)]
    .filter(([, opening = ""]) => FORBIDDEN_OPENING.test(opening.trim()))
    .map((match) => ({
      line: text.slice(0, match.index).split("\n").length,
      opening: (match[1] ?? "").replace("*/", "").trim(),
    }));
}

/**
 * Counts the words of a text in Markdown. A table is not read as prose.
 * @param {string} text
 */
export function countWords(text) {
  const prose = text.split("\n").filter((line) => !line.startsWith("|"));
  return prose.join("\n").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

/**
 * Finds the text that is too long for its kind.
 * @param {string} file
 * @param {string} text
 * @returns {string[]} a sentence for each problem
 */
export function findLongTexts(file, text) {
  const words = countWords(text);
  return WORDS_MAX.filter((kind) => kind.files.test(file) && words > kind.words).map(
    (kind) => `${file}: ${words} words, at most ${kind.words}`,
  );
}

/**
 * Finds the links of a document to files that are not in the repository.
 * @param {string} file
 * @param {string} text
 * @param {ReadonlySet<string>} known the repository's files
 * @returns {string[]} a sentence for each problem
 */
export function findDeadLinks(file, text, known) {
  const targets = [...text.matchAll(/\]\(([^)\s#]+)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !/^([a-z]+:|\/)/.test(target))
    .map((target) => path.posix.join(path.posix.dirname(file), target).replace(/\/$/, ""))
    .filter((target) => !isThere(target, known))
    .map((target) => `${file}: a link leads to ${target}, which is not there`);
}

/** A path of the repository as documents write it. A part in capitals is a placeholder. */
const PATH = /`((?:app|contracts|docs|drizzle|public|sdk|tests)(?:\/[a-z0-9._-]+)+)\/?`/g;

/**
 * Finds the paths in a document that are not in the repository.
 * @param {string} file
 * @param {string} text
 * @param {ReadonlySet<string>} known the repository's files
 * @returns {string[]} a sentence for each problem
 */
export function findDeadPaths(file, text, known) {
  return [...text.matchAll(PATH)]
    .map(([, target = ""]) => target)
    .filter((target) => !isThere(target, known))
    .map((target) => `${file}: it names ${target}, which is not there`);
}

/**
 * @param {string} target a file, or a folder
 * @param {ReadonlySet<string>} known
 */
const isThere = (target, known) =>
  known.has(target) || [...known].some((each) => each.startsWith(`${target}/`));

/** @param {string} subject */
export function isSubjectTooLong(subject) {
  return subject.length > SUBJECT_LENGTH_MAX;
}

/** @param {string[]} args */
const git = (...args) =>
  execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Lists the subjects since the rule; none where the history is cut off. */
function listSubjects() {
  try {
    return git("log", "--format=%s", "--no-merges", `${FIRST_CHECKED_AFTER}..HEAD`)
      .trim()
      .split("\n");
  } catch {
    return [];
  }
}

if (import.meta.filename === process.argv[1]) {
  const files = git("ls-files", "--cached", "--others", "--exclude-standard")
    .split("\n")
    .filter(existsSync);
  const known = new Set(files);
  const problems = files
    .filter((file) => /\.(ts|tsx|mjs|sol)$/.test(file))
    .flatMap((file) =>
      findForbiddenOpenings(readFileSync(file, "utf8")).map(
        ({ line, opening }) => `${file}:${line}: a doc comment opens with “${opening}”`,
      ),
    )
    .concat(
      files
        .filter((file) => file.endsWith(".md"))
        .flatMap((file) => {
          const text = readFileSync(file, "utf8");
          return [
            ...findLongTexts(file, text),
            ...findDeadLinks(file, text, known),
            ...findDeadPaths(file, text, known),
          ];
        }),
      listSubjects()
        .filter(isSubjectTooLong)
        .map(
          (subject) => `A commit's subject has over ${SUBJECT_LENGTH_MAX} characters: ${subject}`,
        ),
    );
  for (const problem of problems) console.error(problem);
  console.log(`Words: ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
