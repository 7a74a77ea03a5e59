import type { Asked, Reaction } from './between.ts';

/** What a remote may make of a request that it quotes. */
export type Quote = (asked: Asked) => string;

const whole: Quote = ({ method, path, headers, body }) =>
  JSON.stringify({ method, path, headers, body: body.toString() });

const authorization: Quote = ({ headers }) => String(headers.authorization ?? '');
const body: Quote = (asked) => asked.body.toString();
const around = (text: string, part: string, before: number, after: number): string => {
  const at = text.indexOf(part);
  return at < 0 ? text.slice(0, after) : text.slice(Math.max(0, at - before), at + after);
};

/** Each is given the start of the value, so that it can be cut in the midst. */
export const quotes: Readonly<Record<string, (start: string) => Quote>> = {
  'the whole request': () => whole,
  'the body': () => body,
  'the body in base64': () => (asked) => asked.body.toString('base64'),
  'the body in base64 for URLs': () => (asked) => asked.body.toString('base64url'),
  'the body in a URL': () => (asked) => encodeURIComponent(body(asked)),
  'the body in JSON': () => (asked) => JSON.stringify({ request: body(asked) }),
  'the body from the value on': (start) => (asked) => around(body(asked), start, 0, 300),
  'a few characters of the value': (start) => (asked) => around(body(asked), start, 4, 14),
  'a few characters of the value in base64': (start) => (asked) =>
    around(asked.body.toString('base64'), Buffer.from(start).toString('base64').slice(0, 8), 0, 14),
  'the header Authorization': () => authorization,
  'the credential alone': () => (asked) => authorization(asked).replace(/^\S+ /, ''),
  'what looks like a code': (start) => (asked) => around(body(asked), start, 0, 40).replace(/[^A-Za-z0-9]/g, ''),
  'much before the value': (start) => (asked) => `${'.'.repeat(290)}${around(body(asked), start, 0, 300)}`,
  'very much before the value': (start) => (asked) => `${'.'.repeat(4_088)}${around(body(asked), start, 0, 300)}`,
};

/** A refusal that has the quote wherever one of the systems has a text, a code (unless a `documented` one) or a header. */
export const echo =
  (status: number, quote: Quote, documented?: string): Reaction =>
  (response, asked) => {
    const text = quote(asked);
    const code = documented ?? text;
    const inHeader = text.replace(/[^\x21-\x7e]/g, '_').slice(0, 1_000);
    const error = {
      code,
      status: code,
      message: text,
      title: text,
      detail: text,
      source: { pointer: text },
      innererror: { code: text, message: text },
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: text, domain: text }],
    };
    const answer = {
      ...{ __type: code, code, Code: code, message: text, Message: text, documentation_url: text },
      ...{ error, errors: [error], error_description: `AADSTS${text}`, failed: [{ error }] },
    };
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-amzn-errortype': documented ?? inHeader,
      'x-amzn-requestid': inHeader,
      'x-ms-keyvault-error': inHeader,
      'retry-after': inHeader,
      date: inHeader,
      'x-ratelimit-reset': inHeader,
    });
    response.end(JSON.stringify(answer));
  };

/** XML, which is what STS speaks. */
export const echoXml =
  (status: number, quote: Quote, code?: string): Reaction =>
  (response, asked) => {
    const text = quote(asked).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const error = `<Error><Type>Sender</Type><Code>${code ?? text}</Code><Message>${text}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(`<ErrorResponse>${error}<RequestId>${text}</RequestId></ErrorResponse>`);
  };

/** Of these, one for each way in which a driver takes a refusal. */
export const fewStatuses = [400, 403, 422];
export const statuses = [200, 204, 301, 400, 401, 403, 404, 409, 413, 422, 429, 503];
