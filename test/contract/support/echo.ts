import type { Asked, Reaction } from './between.ts';

/** The form in which a remote quotes a request. */
export type Quote = (asked: Asked) => string;

const whole: Quote = ({ method, path, headers, body }) =>
  JSON.stringify({ method, path, headers, body: body.toString() });

const authorization: Quote = ({ headers }) => String(headers.authorization ?? '');
const body: Quote = (asked) => asked.body.toString();
const around = (text: string, part: string, before: number, after: number): string => {
  const at = text.indexOf(part);
  return at < 0 ? text.slice(0, after) : text.slice(Math.max(0, at - before), at + after);
};

/** Each gets the start of the value, so that it can cut the value in the middle. */
export const quotes: Readonly<Record<string, (start: string) => Quote>> = {
  'the whole request': () => whole,
  'the body': () => body,
  'the body in base64': () => (asked) => asked.body.toString('base64'),
  'the body in base64 for URLs': () => (asked) => asked.body.toString('base64url'),
  'the body in a URL': () => (asked) => encodeURIComponent(body(asked)),
  'the body in JSON': () => (asked) => JSON.stringify({ request: body(asked) }),
  'the body, starting at the value': (start) => (asked) => around(body(asked), start, 0, 300),
  'a few characters of the value': (start) => (asked) => around(body(asked), start, 4, 14),
  'a few characters of the value in base64': (start) => (asked) =>
    around(asked.body.toString('base64'), Buffer.from(start).toString('base64').slice(0, 8), 0, 14),
  'the header Authorization': () => authorization,
  'only the credential': () => (asked) => authorization(asked).replace(/^\S+ /, ''),
  'a text that looks like a code': (start) => (asked) => around(body(asked), start, 0, 40).replace(/[^A-Za-z0-9]/g, ''),
  'a long text before the value': (start) => (asked) => `${'.'.repeat(290)}${around(body(asked), start, 0, 300)}`,
  'a very long text before the value': (start) => (asked) =>
    `${'.'.repeat(4_088)}${around(body(asked), start, 0, 300)}`,
};

/** A refusal with the quote in every place where a system has a text, a code (unless `documented` is given) or a header. */
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
      __type: code,
      code,
      Code: code,
      message: text,
      Message: text,
      documentation_url: text,
      error,
      errors: [error],
      error_description: `AADSTS${text}`,
      failed: [{ error }],
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

/** The same in XML, for STS. */
export const echoXml =
  (status: number, quote: Quote, code?: string): Reaction =>
  (response, asked) => {
    const text = quote(asked).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const error = `<Error><Type>Sender</Type><Code>${code ?? text}</Code><Message>${text}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(`<ErrorResponse>${error}<RequestId>${text}</RequestId></ErrorResponse>`);
  };

/** One status for each way in which drivers handle a refusal. */
export const fewStatuses = [400, 403, 422];
export const statuses = [200, 204, 301, 400, 401, 403, 404, 409, 413, 422, 429, 503];
