import type { Duplex } from 'node:stream';

/**
 * Answers bytes that the parser refused. Node's own answer has no body, while clients look for the `errors` of a 400
 * (a token with a control character in it is the known case).
 */
export function refuseMalformed(error: Error, socket: Duplex): void {
  if (!socket.writable || 'code' in error === false || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { line, errors } = refusals[String(error.code)] ?? malformed;
  const body = JSON.stringify({ errors });
  const head = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/json',
    'Cache-Control: no-store',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ].join('\r\n');
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

interface Refusal {
  readonly line: string;
  readonly errors: readonly string[];
}

const malformed: Refusal = { line: '400 Bad Request', errors: ['malformed request'] };

/** By the parser's error codes. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_HEADER_TOKEN: { line: '400 Bad Request', errors: ['invalid header value'] },
  HPE_INVALID_METHOD: { line: '405 Method Not Allowed', errors: [] },
  HPE_HEADER_OVERFLOW: { line: '431 Request Header Fields Too Large', errors: ['request headers too large'] },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { line: '413 Payload Too Large', errors: ['request body too large'] },
  ERR_HTTP_REQUEST_TIMEOUT: { line: '408 Request Timeout', errors: ['the request did not arrive in time'] },
};
