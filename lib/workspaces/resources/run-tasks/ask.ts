import { createHmac } from 'node:crypto';
import type { Store } from '#store/store.ts';
import type { MessageParts } from '../../contract.ts';
import { keyName } from './view.ts';

/** The service of a task. */
export interface TaskService {
  readonly id: string;
  readonly url: string;
  /** Sealed; without one requests are not signed. */
  readonly hmac_key: Buffer | null;
}

/**
 * Posts a request to the service of a task. A key signs the body (`X-TFC-Task-Signature`, HMAC-SHA-512 in hexadecimal digits). Resolves with the
 * status of the answer, undefined without one.
 */
export async function ask(
  { barrier }: Pick<Store, 'barrier'>,
  { webhooks }: Pick<MessageParts, 'webhooks'>,
  { id, url, hmac_key: sealed }: TaskService,
  payload: object,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const body = JSON.stringify(payload);
  const key = sealed === null ? undefined : barrier.open(sealed, keyName(id));
  const signature = key === undefined ? '' : createHmac('sha512', key).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-tfc-task-signature': signature };
  try {
    return await webhooks.post(url, { headers, body }, signal);
  } catch {
    return undefined;
  }
}

export const isAccepted = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;
