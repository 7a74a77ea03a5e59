import { Agent, request } from 'node:http';
import { patience } from '../../support/measures/patience.ts';

/** A request that is sent literally, without making any part of it well-formed. */
export interface Sent {
  readonly method: string;
  /** The path below the prefix of the sender, still encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface Sender {
  send(sent: Sent): Promise<Reply>;
  close(): void;
}

/** Sends requests on a few connections; each must be answered in time. */
export function senderTo(address: string, prefix = '/v1/'): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(patience.conditionMs);
        const asked = request(
          `${address}${prefix}`,
          { method, agent, signal, path: `${prefix}${path}`, headers },
          (answer) => {
            const pieces: Buffer[] = [];
            answer.on('data', (piece: Buffer) => pieces.push(piece));
            answer.on('error', reject);
            answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
          },
        );
        asked.on('error', reject);
        asked.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** The bodies of refusals: those of the API, or those of OAuth (RFC 6749, section 5.2). */
export type Form = 'errors' | 'oauth';

/** The problem with an answer to a bad request, or undefined. @param may allowed statuses in addition to those below 500 */
export function problemWith(
  { status, text }: Reply,
  may: readonly number[] = [],
  form: Form = 'errors',
): string | undefined {
  if (status >= 500 && !may.includes(status)) return `status ${status}: ${text.slice(0, 200)}`;
  if (status < 400) return undefined;
  const body = objectOf(text);
  if (body === undefined) return `status ${status} without JSON: ${text.slice(0, 200)}`;
  // A deleted version is shown with its metadata.
  if (status === 404 && 'request_id' in body) return undefined;
  const { errors } = body;
  if (Array.isArray(errors) && errors.every((one) => typeof one === 'string')) return undefined;
  if (form === 'oauth' && typeof body['error'] === 'string' && typeof body['error_description'] === 'string')
    return undefined;
  return `status ${status} without errors: ${text.slice(0, 200)}`;
}

export function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
