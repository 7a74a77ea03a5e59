/** A server with the token of its root. */
export interface Server {
  readonly address: string;
  readonly rootToken: string;
}

/** A pool for the agent of this machine, and a token for it. */
export interface LocalPool {
  readonly id: string;
  readonly token: string;
  /** Ends the token. */
  revoke(): Promise<void>;
}

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export const poolName = 'local';
const description = 'the agent of the development server';
const requestMs = 10_000;

/**
 * Finds or makes the pool `local` of an organization, and makes a new token for it. Workspaces of an organization that did not exist are executed by
 * this pool unless they choose otherwise. May run again at each start.
 *
 * @throws Error with the reply of the server
 */
export async function preparePool(server: Server, organization: string): Promise<LocalPool> {
  const ask = <T = Resource>(method: string, path: string, data?: object) => asked<T>(server, { method, path, data });
  const path = `/organizations/${organization}`;
  const isNew = (await ask<Resource | undefined>('GET', path).catch(ignoreMissing)) === undefined;
  if (isNew)
    await ask('POST', '/organizations', {
      type: 'organizations',
      attributes: { name: organization, email: `${organization}@keyferry.test` },
    });
  const pools = await ask<readonly Resource[]>('GET', `${path}/agent-pools?page[size]=100`);
  const found = pools.find(({ attributes }) => attributes['name'] === poolName);
  const made = { type: 'agent-pools', attributes: { name: poolName, 'organization-scoped': true } };
  const { id } = found ?? (await ask<Resource>('POST', `${path}/agent-pools`, made));
  if (isNew)
    await ask('PATCH', path, {
      type: 'organizations',
      attributes: { 'default-execution-mode': 'agent' },
      relationships: { 'default-agent-pool': { data: { type: 'agent-pools', id } } },
    });
  const tokens = `/agent-pools/${id}/authentication-tokens`;
  // A server that was killed left its own.
  for (const old of await ask<readonly Resource[]>('GET', tokens))
    if (old.attributes['description'] === description) await ask('DELETE', `/authentication-tokens/${old.id}`);
  const token = await ask<Resource>('POST', tokens, { type: 'authentication-tokens', attributes: { description } });
  return {
    id,
    token: String(token.attributes['token']),
    revoke: () => ask('DELETE', `/authentication-tokens/${token.id}`),
  };
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Refusal && error.status === 404)) throw error;
}

async function asked<T>(
  { address, rootToken }: Server,
  { method, path, data }: { readonly method: string; readonly path: string; readonly data: object | undefined },
): Promise<T> {
  const answer = await fetch(`${address}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${rootToken}`, 'content-type': 'application/vnd.api+json' },
    body: data === undefined ? null : JSON.stringify({ data }),
    signal: AbortSignal.timeout(requestMs),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refusal(answer.status, `${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? (undefined as T) : (JSON.parse(text) as { data: T }).data;
}
