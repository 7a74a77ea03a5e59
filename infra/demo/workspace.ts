import { createHash } from 'node:crypto';
import type { Terminal } from '../show/terminal.ts';
import { type SecretId, showCopies, untilStatus } from './copies.ts';
import type { Stage } from './stage.ts';

/** A client of the workspace service that sends the requests of the automation engine's own command line. */
export class WorkspaceClient {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** @throws Error with the errors of the reply */
  async ask<T = Resource>(method: string, path: string, data?: object): Promise<T> {
    const answer = await fetch(`${this.#stage.address}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#stage.rootToken}`, 'content-type': 'application/vnd.api+json' },
      body: data === undefined ? null : JSON.stringify({ data }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? (undefined as T) : (JSON.parse(text) as { data: T }).data;
  }
}

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Creates a workspace, stores and reads its state as the command line does, and syncs a secret into its variables. */
export async function showWorkspace(stage: Stage, terminal: Terminal): Promise<void> {
  const client = new WorkspaceClient(stage);
  await client.ask('POST', '/organizations', {
    type: 'organizations',
    attributes: { name: 'demo', email: 'demo@keyferry.test' },
  });
  const workspace = await client.ask('POST', '/organizations/demo/workspaces', {
    type: 'workspaces',
    attributes: { name: 'network', 'execution-mode': 'local' },
  });
  terminal.line(`  workspace demo/network is ${workspace.id}`);
  await storeState(client, terminal, workspace.id);
  await syncInto(stage, client, terminal, workspace.id);
}

const secret: SecretId = { mount: 'secret', secret_name: 'demo/network' };

const state = JSON.stringify({
  version: 4,
  terraform_version: '1.11.4',
  serial: 1,
  lineage: '6e5c1a32-5d6f-4a83-9d9b-0d3c1f2a7b11',
  outputs: { address: { value: '10.0.0.1', type: 'string' } },
  resources: [],
});

async function storeState(client: WorkspaceClient, terminal: Terminal, id: string): Promise<void> {
  const act = (action: string) => client.ask('POST', `/workspaces/${id}/actions/${action}`);
  await act('lock');
  const again = await act('lock').catch((error: unknown) => error);
  if (!(again instanceof Error && again.message.includes(': 409 ')))
    throw new Error('a locked workspace was locked again');
  terminal.line('  it is locked; a second lock gets 409');
  const { serial, lineage } = JSON.parse(state) as { serial: number; lineage: string };
  const version = await client.ask('POST', `/workspaces/${id}/state-versions`, {
    type: 'state-versions',
    attributes: { serial, lineage, md5: createHash('md5').update(state).digest('hex') },
  });
  await exchange('PUT', version.attributes['hosted-state-upload-url'], state);
  await act('unlock');
  const current = await client.ask('GET', `/workspaces/${id}/current-state-version`);
  const read = await exchange('GET', current.attributes['hosted-state-download-url']);
  if (read !== state) throw new Error('the state that was read differs from the stored one');
  terminal.line(
    `  state version ${current.id} was uploaded and downloaded through signed addresses, ${state.length} bytes`,
  );
}

async function exchange(method: 'GET' | 'PUT', url: unknown, body: string | null = null): Promise<string> {
  const answer = await fetch(String(url), { method, body, signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${method} of a signed address: ${answer.status}`);
  return answer.text();
}

async function syncInto(stage: Stage, client: WorkspaceClient, terminal: Terminal, id: string): Promise<void> {
  await stage.api.write(`${secret.mount}/data/${secret.secret_name}`, {
    data: { user: 'app', password: 'for the network' },
  });
  const token = await client.ask('POST', '/users/user-root/authentication-tokens', {
    type: 'authentication-tokens',
    attributes: { description: 'the sync of the demo' },
  });
  const destination = 'sys/sync/destinations/workspace-vars/network';
  await stage.api.write(destination, {
    address: stage.address,
    token: token.attributes['token'],
    workspace_id: id,
    sensitive: false,
    granularity: 'secret-key',
    secret_name_template: '{{ .SecretKey | uppercase }}',
    allowed_ipv4_addresses: ['127.0.0.1/32'],
    allowed_ports: [Number(new URL(stage.address).port)],
  });
  await stage.api.write(`${destination}/associations/set`, secret);
  showCopies(terminal, await untilStatus(stage, secret, () => 'SYNCED'));
  const vars = await client.ask<readonly Resource[]>('GET', `/workspaces/${id}/vars`);
  for (const { attributes } of vars) terminal.line(`  the workspace has the variable ${String(attributes['key'])}`);
  const wanted = ['PASSWORD', 'USER'];
  const found = vars.map(({ attributes }) => String(attributes['key'])).sort();
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`the variables are ${found.join(', ')}`);
  await stage.api.write(`${destination}/associations/remove`, secret);
}
