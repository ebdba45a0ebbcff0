import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Failure, type FailureCode } from "../domain/failure";
import { describeFailure, getHelpHeader } from "../http/failures";

/** The failures of requests that Node's parser refuses, by its error code; others are malformed. */
const FAILURES: Readonly<Record<string, FailureCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Answers requests that HTTP itself refuses, which reach no handler, in the form of every error. By
 * default Node answers them without a body.
 */
export function answerProtocolErrors(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const { _httpMessage: underWay } = socket as { _httpMessage?: ServerResponse };
    if (underWay?.req.complete && !underWay.headersSent && socket.writable) {
      // The bytes after a whole request are malformed. That request has its own answer, and the connection ends with it.
      underWay.shouldKeepAlive = false;
      return;
    }
    // A connection that was cut, or that has an answer under way, takes none.
    if (error.code === "ECONNRESET" || !socket.writable || underWay?.headersSent) {
      socket.destroy(error);
      return;
    }
    socket.end(formatAnswer(FAILURES[error.code ?? ""] ?? "malformed_request"));
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const { status, text, headers } = toAnswer("expectation_failed");
    response.writeHead(status, headers).end(text);
  });
}

/** Writes a failure as a whole answer, for a connection whose request has no answer of its own. */
export function formatAnswer(code: FailureCode): string {
  const { status, text, headers } = toAnswer(code);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n");
}

function toAnswer(code: FailureCode) {
  const { status, message } = describeFailure(new Failure(code));
  return {
    status,
    text: JSON.stringify({ error: message, message, code }),
    headers: {
      "Cache-Control": "no-store",
      "Content-Type": "application/json",
      ...getHelpHeader(code),
    },
  };
}
