/** An answer of the stand-in, in the form of its protocol. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal of the service. */
export class Refused extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, message: string, status = 400, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

export type Protocol = 'json' | 'query';

export const json = (body: object): Answer => ({
  status: 200,
  body: JSON.stringify(body),
  type: 'application/x-amz-json-1.1',
});

/** An answer of STS: the result's elements as XML. */
export function query(operation: string, result: string): Answer {
  const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';
  const body = `<${operation}Response xmlns="${namespace}"><${operation}Result>${result}</${operation}Result></${operation}Response>`;
  return { status: 200, body, type: 'text/xml' };
}

export const element = (name: string, text: string): string =>
  `<${name}>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')}</${name}>`;

export function refusal(protocol: Protocol, { code, message, status, headers }: Refused): Answer {
  if (protocol === 'json') {
    return { ...json({ __type: code, message }), status, headers };
  }
  const type = element('Type', status < 500 ? 'Sender' : 'Receiver');
  const body = `<ErrorResponse><Error>${type}${element('Code', code)}${element('Message', message)}</Error></ErrorResponse>`;
  return { status, body, type: 'text/xml', headers };
}
