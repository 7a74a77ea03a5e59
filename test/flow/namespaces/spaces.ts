import type { Answer } from '../../support/flow/ask.ts';
import { ask } from '../../support/flow/ask.ts';
import type { OpenService } from '../../support/flow/open-service.ts';

/** Any request in a namespace, which is named in the header; by the root token unless it is by another one. */
export type AskingIn = (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;

export interface Space {
  /** With a trailing slash. */
  readonly path: string;
  readonly ask: AskingIn;
}

/** A new namespace with a KV of version 2 at `secret/`. `parent`: in which; absent: in the root. */
export async function spaceOf(service: OpenService, parent: Space | undefined = undefined): Promise<Space> {
  const name = service.name('space');
  const path = `${parent?.path ?? ''}${name}/`;
  const made = await service.ask('POST', `sys/namespaces/${path.slice(0, -1)}`, {});
  if (made.status !== 200) throw new Error(made.errors.join());
  const space = { path, ask: askingIn(service, path) };
  const mounted = await space.ask('POST', 'sys/mounts/secret', { type: 'kv-v2' });
  if (mounted.status !== 204) throw new Error(mounted.errors.join());
  return space;
}

export const askingIn =
  (service: OpenService, namespace: string, address = service.address): AskingIn =>
  (method, path, body, token = service.rootToken) =>
    ask({ address, token, method, path, body, headers: { 'x-service-namespace': namespace } });

/** A new token of the namespace that a new policy of it gives rights; for the root give the service's own `ask`. */
export async function holderIn(service: OpenService, { ask: inSpace }: Pick<Space, 'ask'>, text: string) {
  const policy = service.name('policy');
  const written = await inSpace('PUT', `sys/policies/acl/${policy}`, { policy: text });
  if (written.status !== 204) throw new Error(written.errors.join());
  const { body } = await inSpace('POST', 'auth/token/create', { policies: [policy], no_default_policy: true });
  return body['auth'] as { readonly client_token: string; readonly accessor: string };
}
