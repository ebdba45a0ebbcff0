import type { ExampleValues } from "../../domain/reference/example";
import type { Field, Form } from "../../domain/reference/field";
import { fillExamples, GUIDES } from "./guides";
import { createEndpointPage, type EndpointPage, listEndpointGroups, listErrorPages } from "./pages";

const TITLE = "Points and Rewards API";
const SUMMARY =
  "Points for wallets over HTTP: backends fire triggers with an API key, and read leaderboards, wallets, activity, rewards and scores. Token rewards are claimed on chain with Merkle proofs.";

/** Writes the list of all pages that language models begin with (llmstxt.org). */
export function writeLlmsText(origin: string): string {
  const link = (title: string, at: string, note: string) => `- [${title}](${origin}${at}): ${note}`;
  const endpoints = listEndpointGroups().flatMap((group) => group.endpoints);
  return [
    `# ${TITLE}`,
    `> ${SUMMARY}`,
    "## Guides",
    GUIDES.map(({ slug, title }) => link(title, `/docs/${slug}`, firstSentence(slug))).join("\n"),
    "## Endpoints",
    endpoints
      .map(({ slug, method, path, summary }) =>
        link(`${method} /${path}`, `/docs/endpoints/${slug}`, summary),
      )
      .join("\n"),
    "## Machine-readable",
    [
      link("OpenAPI 3.1", "/openapi.json", "every endpoint, parameter, answer and error"),
      link("Everything in one file", "/llms-full.txt", "guides, endpoints and errors as Markdown"),
      link("Errors", "/docs/errors", "a page for each code, with cause and remedy"),
    ].join("\n"),
    "",
  ].join("\n\n");
}

function firstSentence(slug: string): string {
  const { markdown = "" } = GUIDES.find((guide) => guide.slug === slug) ?? {};
  const text = markdown.split("\n\n").find((block) => /^[A-Z]/.test(block)) ?? "";
  return text.replaceAll("\n", " ").replace(/[.:] .*$/s, "");
}

/** Writes the whole reference as one Markdown file. */
export function writeReference(values: ExampleValues): string {
  const endpoints = listEndpointGroups().flatMap((group) => group.endpoints);
  return [
    `# ${TITLE}`,
    SUMMARY,
    ...GUIDES.map(({ markdown }) => fillExamples(markdown.trim(), values).replace(/^#/gm, "##")),
    "## Endpoints",
    ...endpoints.map(({ path }) => writeEndpoint(createEndpointPage(path, values))),
    "## Errors",
    "Every error is `{error, message, code}`. Both texts are the same.",
    ...listErrorPages().map(
      ({ code, status, message, cause, remedy }) =>
        `### ${code}\n\n${status} \`${message}\`\n\n- Cause: ${cause}\n- Remedy: ${remedy}`,
    ),
    "",
  ].join("\n\n");
}

function writeEndpoint(page: EndpointPage): string {
  const { method, path, title, use, avoid, notes, access, inputs, headers, answer } = page;
  const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
  const listed = (heading: string, fields: readonly Field[]) =>
    fields.length > 0 ? [`#### ${heading}`, writeFields(fields)] : [];
  return [
    `### ${method} /${path}`,
    `${title}. ${use}`,
    avoid,
    `Access: ${access}.`,
    notes.map((note) => `- ${note}`).join("\n"),
    ...listed("Headers", headers),
    ...listed(method === "GET" ? "Parameters" : "Body", inputs),
    ...listed("Answer", answer.fields),
    ...(answer.forms.length > 0 ? ["#### Answer", writeForms(answer.forms, "")] : []),
    fence("json", page.example),
    "#### Errors",
    page.errors
      .map(({ code, status, message }) => `- ${status} \`${code}\`: ${message}`)
      .join("\n"),
    "#### Samples",
    ...page.samples.map(({ language, text }) =>
      fence({ curl: "sh", TypeScript: "ts", Python: "python" }[language], text),
    ),
  ].join("\n\n");
}

function writeFields(fields: readonly Field[], indent = ""): string {
  return fields
    .map(({ name, type, isRequired, description, fields: inner, forms }) =>
      [
        `${indent}- \`${name}\` (${type}${isRequired ? "" : ", optional"})${description && `: ${description}`}`,
        ...(inner.length > 0 ? [writeFields(inner, `${indent}  `)] : []),
        ...(forms.length > 0 ? [writeForms(forms, `${indent}  `)] : []),
      ].join("\n"),
    )
    .join("\n");
}

function writeForms(forms: readonly Form[], indent: string): string {
  return forms
    .map(({ label, fields }) => `${indent}- ${label}:\n${writeFields(fields, `${indent}  `)}`)
    .join("\n");
}
