import { Agent, request } from 'node:http';
import { patience } from '../../support/patience.ts';

/** A request as it stands: no part of it is made well-formed on its way. */
export interface Sent {
  readonly method: string;
  /** Below the prefix of the sender, not yet decoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly text: string;
}

export interface Sender {
  send(sent: Sent): Promise<Got>;
  close(): void;
}

/** Sends requests on a few connections; each has to be answered in time. */
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

/** What is wrong with an answer to a bad request; undefined: nothing. `may` are statuses beside those below 500. */
export function wrongWith({ status, text }: Got, may: readonly number[] = []): string | undefined {
  if (status >= 500 && !may.includes(status)) return `status ${status}: ${text.slice(0, 200)}`;
  if (status < 400) return undefined;
  const body = objectOf(text);
  if (body === undefined) return `status ${status} without JSON: ${text.slice(0, 200)}`;
  // A version that is deleted is shown with its metadata.
  if (status === 404 && 'request_id' in body) return undefined;
  const { errors } = body;
  if (Array.isArray(errors) && errors.every((one) => typeof one === 'string')) return undefined;
  return `status ${status} without errors: ${text.slice(0, 200)}`;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
