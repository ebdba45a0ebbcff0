import type { ExampleValues } from "./example";

/** A call as the samples show it. */
export interface SampleCall {
  readonly operationId: string;
  /** Whether the SDK has a method for it. */
  readonly isInSdk: boolean;
  readonly method: "GET" | "POST";
  /** The path with its slash. */
  readonly path: string;
  readonly needsKey: boolean;
  /** The query of a GET, the body of a POST. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The languages of the samples, in the order of the pages. */
export const LANGUAGES = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The variable that holds the API key in every sample. */
const KEY_VARIABLE = "POINTS_API_KEY";

/** Writes a call as a program that prints the answer. */
export function writeSample(language: Language, call: SampleCall, values: ExampleValues): string {
  const { keyName } = values;
  const mark = language === "TypeScript" ? "//" : "#";
  const note =
    keyName !== null && call.needsKey
      ? `${mark} ${KEY_VARIABLE} holds the key “${keyName.replace(/\s+/g, " ")}”\n`
      : "";
  return note + WRITERS[language](call, values.origin);
}

const WRITERS: Record<Language, (call: SampleCall, origin: string) => string> = {
  curl: writeCurl,
  TypeScript: (call, origin) => (call.isInSdk ? writeTypeScript : writeFetch)(call, origin),
  Python: writePython,
};

const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);
const toJson = (value: unknown) => JSON.stringify(value, null, 2);

function writeCurl({ method, path, needsKey, request, headers }: SampleCall, origin: string) {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const isGet = method === "GET";
  const lines = [
    `curl ${isGet ? "-G " : ""}${origin}${path}`,
    ...(needsKey ? [`-H "Authorization: Bearer $${KEY_VARIABLE}"`] : []),
    ...(isGet ? [] : ['-H "Content-Type: application/json"']),
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(isGet
      ? Object.entries(request).map(([name, value]) => `-d ${name}=${value}`)
      : [`-d ${indent(quote(toJson(request)), "  ")}`]),
  ];
  return lines.join(" \\\n  ");
}

/** Writes a value as TypeScript does: names of fields without quotes. */
function toTypeScript(value: unknown): string {
  return toJson(value).replace(/^( *)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

/** Writes a call of the SDK, whose methods are the operations of the document. */
function writeTypeScript(
  { operationId, needsKey, request, headers }: SampleCall,
  origin: string,
): string {
  const idempotencyKey = headers["Idempotency-Key"];
  const given = toTypeScript(request);
  return [
    `import { PointsClient } from "points-and-rewards-sdk";`,
    "",
    "const client = new PointsClient({",
    `  baseUrl: "${origin}",`,
    ...(needsKey ? [`  apiKey: process.env.${KEY_VARIABLE},`] : []),
    "});",
    idempotencyKey === undefined
      ? `const answer = await client.${operationId}(${given});`
      : `const answer = await client.${operationId}(\n  ${indent(given, "  ")},\n  { idempotencyKey: "${idempotencyKey}" },\n);`,
    "console.log(answer);",
  ].join("\n");
}

/** Writes a call without the SDK, which has the endpoints of applications alone. */
function writeFetch({ method, path, request }: SampleCall, origin: string): string {
  const isGet = method === "GET";
  const query = Object.fromEntries(Object.entries(request).map(([k, v]) => [k, String(v)]));
  const authorization = `Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\``;
  return [
    ...(isGet ? [`const query = new URLSearchParams(${toTypeScript(query)});`] : []),
    isGet
      ? `const response = await fetch(\`${origin}${path}?\${query}\`, {`
      : `const response = await fetch("${origin}${path}", {\n  method: "POST",`,
    isGet
      ? `  headers: { ${authorization} },`
      : `  headers: {\n    ${authorization},\n    "Content-Type": "application/json",\n  },`,
    ...(isGet ? [] : [`  body: JSON.stringify(${indent(toTypeScript(request), "  ")}),`]),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    "const answer = await response.json();",
    "console.log(answer);",
  ].join("\n");
}

/** Writes a value as Python does. */
function toPython(value: unknown): string {
  return toJson(value)
    .replace(/: true\b/g, ": True")
    .replace(/: false\b/g, ": False")
    .replace(/: null\b/g, ": None");
}

function writePython(
  { method, path, needsKey, request, headers }: SampleCall,
  origin: string,
): string {
  const isGet = method === "GET";
  const sent = [
    ...(needsKey ? [`"Authorization": "Bearer " + os.environ["${KEY_VARIABLE}"]`] : []),
    ...(isGet ? [] : ['"Content-Type": "application/json"']),
    ...Object.entries(headers).map(([name, value]) => `"${name}": "${value}"`),
  ];
  const listed = sent.map((line) => `        ${line},\n`).join("");
  const imports = ["json", ...(needsKey ? ["os"] : []), ...(isGet ? ["urllib.parse"] : [])];
  return [
    `import ${[...imports, "urllib.request"].join(", ")}`,
    "",
    isGet
      ? `query = urllib.parse.urlencode(${toPython(request)})`
      : `body = json.dumps(${toPython(request)})`,
    "request = urllib.request.Request(",
    isGet ? `    "${origin}${path}?" + query,` : `    "${origin}${path}",\n    data=body.encode(),`,
    ...(sent.length > 0 ? [`    headers={\n${listed}    },`] : []),
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(json.dumps(json.load(response), indent=2))",
  ].join("\n");
}
