import type { Answer } from './calls/ask.ts';
import type { OpenService } from './open-service.ts';

/** Sends requests with one caller's token. */
export type Asking = (method: string, path: string, body?: unknown) => Promise<Answer>;

export interface Holder {
  readonly token: string;
  readonly policy: string;
  readonly ask: Asking;
}

/** A new token whose only policy is a new one with this text. */
export async function holderOf(service: OpenService, text: string): Promise<Holder> {
  const policy = service.name('policy');
  const { status, errors } = await service.ask('PUT', `sys/policies/acl/${policy}`, { policy: text });
  if (status !== 204) throw new Error(errors.join());
  const token = await tokenOf(service, [policy]);
  return { token, policy, ask: asking(service, token) };
}

/** A new token with these policies and without `default`, unless `more` says otherwise. */
export async function tokenOf(service: OpenService, policies: readonly string[], more: object = {}): Promise<string> {
  const body = { policies, no_default_policy: true, ...more };
  const { body: reply } = await service.ask('POST', 'auth/token/create', body);
  return (reply['auth'] as { client_token: string }).client_token;
}

export const asking =
  (service: OpenService, token: string): Asking =>
  (method, path, body) =>
    service.ask(method, path, body, { headers: { 'x-service-token': token } });

/** The answer to a caller whose token lacks the permission. */
export const denied = { status: 403, errors: ['1 error occurred:\n\t* permission denied\n\n'] };
