import { fetch } from 'undici';
import type { NetworkBounds } from './bounds.ts';
import { guardedDispatcher } from './connection/dispatcher.ts';
import { type NetworkPolicy, strictPolicy } from './policy.ts';

/** Sends messages to receivers of webhooks. */
export interface Webhooks {
  /**
   * Posts a body, and resolves with the status of the answer, whose content is not read: it may echo the request, and may have any
   * length. Redirects are not followed. A refusal of the guard satisfies `isBlocked`.
   */
  post(url: string, message: WebhookMessage, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Time limits of one call to a receiver. */
export const webhookTimes = { connectMs: 5_000, requestMs: 10_000 };

/** Receivers have public addresses, or those that the operator allows. */
export const webhookPolicy = (bounds: NetworkBounds): NetworkPolicy => ({ ...strictPolicy, disabled: true, bounds });

export function openWebhooks(bounds: NetworkBounds): Webhooks {
  const dispatcher = guardedDispatcher(webhookPolicy(bounds), webhookTimes);
  return {
    async post(url, { headers, body }, signal) {
      const deadline = AbortSignal.timeout(webhookTimes.requestMs);
      const ends = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ends, dispatcher });
      await answer.body?.cancel();
      return answer.status;
    },
    close: () => dispatcher.destroy(),
  };
}
