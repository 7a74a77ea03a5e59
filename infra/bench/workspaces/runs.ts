import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { z } from 'zod';
import type { Stage } from '../stage.ts';

/** An organization whose workspaces have a configuration and a pool of agents. */
export interface Runnable {
  /** Of the pool. */
  readonly token: string;
  readonly workspaces: readonly string[];
  /** Queues a run that only plans. Returns its id. */
  queue(workspace: string): Promise<string>;
  /** Gives a workspace a configuration of these files. */
  configure(workspace: string, files: Readonly<Record<string, string>>): Promise<void>;
  status(run: string): Promise<string>;
  /** Bytes of the log of a plan. */
  logBytes(run: string): Promise<number>;
}

const reply = z.object({ data: z.object({ id: z.string(), attributes: z.record(z.string(), z.unknown()) }) });
const organization = 'bench-agents';
/** The service gives no more of a log at once. */
const pieceBytes = 1_048_576;

const statements = [
  `with organization as (
     insert into ws_organizations (id, name, email, default_project_id)
     values ('org-agents', '${organization}', 'a@b.test', 'prj-agents')
   ) insert into ws_projects (id, organization_id, name) values ('prj-agents', 'org-agents', 'agents')`,
];

/** Makes `count` workspaces. `address`: of the API that is measured. */
export async function fillRunnable({ database, rootToken }: Stage, address: string, count: number): Promise<Runnable> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${address}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${rootToken}`, 'content-type': 'application/vnd.api+json' },
      body: body === undefined ? null : JSON.stringify({ data: body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return reply.parse(JSON.parse(text)).data;
  };
  for (const statement of statements) await database.query(statement);
  const pools = `/organizations/${organization}/agent-pools`;
  const pool = await call('POST', pools, { type: 'agent-pools', attributes: { name: 'bench' } });
  const token = await call('POST', `/agent-pools/${pool.id}/authentication-tokens`, {
    type: 'authentication-tokens',
    attributes: { description: 'bench' },
  });
  await database.query(
    `insert into ws_workspaces (id, organization_id, project_id, name, engine_version, execution_mode, agent_pool_id)
     select 'ws-agents-' || n, 'org-agents', 'prj-agents', 'agents-' || n, '1.11.4', 'agent', $2
       from generate_series(0, $1::int - 1) n`,
    [count, pool.id],
  );
  const configure: Runnable['configure'] = async (workspace, files) => {
    const attributes = { 'auto-queue-runs': false };
    const path = `/workspaces/${workspace}/configuration-versions`;
    const made = await call('POST', path, { type: 'configuration-versions', attributes });
    const sent = await fetch(String(made.attributes['upload-url']), { method: 'PUT', body: await packed(files) });
    if (!sent.ok) throw new Error(`PUT of a configuration: ${sent.status} ${await sent.text()}`);
  };
  const workspaces = Array.from({ length: count }, (_, at) => `ws-agents-${at}`);
  for (const one of workspaces) await configure(one, { 'main.tf': '' });
  return {
    token: String(token.attributes['token']),
    workspaces,
    configure,
    async queue(id) {
      const relationships = { workspace: { data: { type: 'workspaces', id } } };
      return (await call('POST', '/runs', { type: 'runs', attributes: { 'plan-only': true }, relationships })).id;
    },
    status: async (run) => String((await call('GET', `/runs/${run}`)).attributes['status']),
    async logBytes(run) {
      const shown = await call('GET', `/runs/${run}/plan`);
      const url = new URL(String(shown.attributes['log-read-url']));
      for (let bytes = 0; ; ) {
        url.search = new URLSearchParams({ offset: String(bytes), limit: String(pieceBytes) }).toString();
        const answer = await fetch(url);
        if (!answer.ok) throw new Error(`GET of a log: ${answer.status} ${await answer.text()}`);
        const piece = (await answer.arrayBuffer()).byteLength;
        if (piece === 0) return bytes;
        bytes += piece;
      }
    },
  };
}

async function packed(files: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar) pieces.push(piece as Buffer);
  return new Uint8Array(gzipSync(Buffer.concat(pieces)));
}
