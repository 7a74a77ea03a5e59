import type { Answer } from '../../support/flow/calls/ask.ts';
import { ask } from '../../support/flow/calls/ask.ts';
import type { OpenService } from '../../support/flow/open-service.ts';

/** Sends a request in a namespace, named in the header, with the root token unless another one is given. */
export type AskingIn = (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;

export interface Space {
  /** With a trailing slash. */
  readonly path: string;
  readonly ask: AskingIn;
}

/** Creates a namespace with a KV version 2 at `secret/`, below `parent` or in the root. */
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

/** Creates a token of the namespace with the rights of a new policy. For the root, pass the service's own `ask`. */
export async function holderIn(service: OpenService, { ask: inSpace }: Pick<Space, 'ask'>, text: string) {
  const policy = service.name('policy');
  const written = await inSpace('PUT', `sys/policies/acl/${policy}`, { policy: text });
  if (written.status !== 204) throw new Error(written.errors.join());
  const { body } = await inSpace('POST', 'auth/token/create', { policies: [policy], no_default_policy: true });
  return body['auth'] as { readonly client_token: string; readonly accessor: string };
}
