import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { type LocalAgent, NoEngine, startLocalAgent } from '../local/agent/start.ts';
import type { Terminal } from '../show/terminal.ts';
import type { Stage } from './stage.ts';
import { WorkspaceClient } from './workspace.ts';

const waitMsMax = 120_000;
const lookMs = 250;

/** A resource that is part of the engine, so that nothing is downloaded. */
const configuration = `
variable "greeting" { type = string }
resource "terraform_data" "shown" { input = var.greeting }
output "greeting" { value = terraform_data.shown.output }
`;

/** Plans and applies a configuration by an agent with the engine of this machine; says why not when there is none. */
export async function showRemoteRun(stage: Stage, terminal: Terminal): Promise<void> {
  let agent: LocalAgent;
  try {
    agent = await startLocalAgent(stage, 'demo', {});
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    terminal.line(`  skipped: ${error.message}`);
    return;
  }
  try {
    terminal.line(`  an agent with ${agent.engines.join(', ')} waits for runs of the pool demo/local`);
    await run(new WorkspaceClient(stage), terminal, agent.pool.id);
  } finally {
    await agent.stop();
  }
}

async function run(client: WorkspaceClient, terminal: Terminal, poolId: string): Promise<void> {
  const { id } = await client.ask('POST', '/organizations/demo/workspaces', {
    type: 'workspaces',
    attributes: {
      name: 'greeting',
      'execution-mode': 'agent',
      'agent-pool-id': poolId,
      // Any engine that was found, with lines for people.
      'engine-version': 'latest',
      'structured-run-output-enabled': false,
    },
  });
  const variable = { key: 'greeting', value: 'hello from the demo', category: 'terraform' };
  await client.ask('POST', `/workspaces/${id}/vars`, { type: 'vars', attributes: variable });
  const version = await client.ask('POST', `/workspaces/${id}/configuration-versions`, {
    type: 'configuration-versions',
    attributes: { 'auto-queue-runs': false },
  });
  const sent = await fetch(String(version.attributes['upload-url']), { method: 'PUT', body: await archive() });
  if (!sent.ok) throw new Error(`the configuration was answered with ${sent.status}`);
  const made = await client.ask('POST', '/runs', {
    type: 'runs',
    attributes: { 'auto-apply': true, message: 'from the demo' },
    relationships: { workspace: { data: { type: 'workspaces', id } } },
  });
  await untilApplied(client, made.id);
  for (const part of ['plan', 'apply'])
    for (const line of await logLines(client, made.id, part)) terminal.line(`  ${line}`);
}

async function untilApplied(client: WorkspaceClient, id: string): Promise<void> {
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    const { attributes } = await client.ask('GET', `/runs/${id}`);
    if (attributes['status'] === 'applied') return;
    const isOver = ['errored', 'canceled', 'planned_and_finished'].includes(String(attributes['status']));
    if (isOver || Date.now() > deadline)
      throw new Error(`the run is ${attributes['status']}: ${(await logLines(client, id, 'plan')).join(' ')}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** Without empty lines and the characters that frame the log. */
async function logLines(client: WorkspaceClient, id: string, part: string): Promise<readonly string[]> {
  const { attributes } = await client.ask('GET', `/runs/${id}/${part}`);
  const text = await (await fetch(String(attributes['log-read-url']))).text();
  return text.split(/[\u0002\u0003\n]+/).filter((line) => line.trim() !== '');
}

async function archive(): Promise<Uint8Array<ArrayBuffer>> {
  const tar = pack();
  tar.entry({ name: 'main.tf' }, configuration);
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar) pieces.push(piece as Buffer);
  return new Uint8Array(gzipSync(Buffer.concat(pieces)));
}
