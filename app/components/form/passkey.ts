/**
 * Asks the browser for a passkey: gets the options from a path of this service, and posts the answer
 * there.
 * @throws {Error} with a sentence for the person
 */
export async function givePasskey(path: string): Promise<void> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = await (await post(path, {})).json();
  const response = await startAuthentication({ optionsJSON }).catch(explain);
  await post(path, { response });
}

/** Creates a passkey by the options that a form's answer brought. Returns it as text, to be posted. */
export async function createPasskey(options: object): Promise<string> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const optionsJSON = options as Parameters<typeof startRegistration>[0]["optionsJSON"];
  return JSON.stringify(await startRegistration({ optionsJSON }).catch(explain));
}

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${await response.text()}.`);
  return response;
}

/** Browsers say why in words for developers. */
function explain(error: Error): never {
  if (error.name === "InvalidStateError") throw new Error("This device has a passkey already.");
  throw new Error("The browser gave no passkey. Try again.");
}
