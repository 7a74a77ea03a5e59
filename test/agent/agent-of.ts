import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runAgent } from '#agent/agent.ts';
import { readAllowed } from '#agent/run/apart/network/guard.ts';
import type { AgentSettings } from '#agent/settings.ts';
import { silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import { patience } from '../support/measures/patience.ts';
import { poolOf } from '../workspaces/resources/agent-jobs/pool-of.ts';
import { documentOf } from '../workspaces/support/documents.ts';
import { put } from '../workspaces/support/files.ts';
import type { WorkspaceGround } from '../workspaces/support/ground.ts';
import { packed } from '../workspaces/support/packed.ts';

export const standIn = join(dirname(fileURLToPath(import.meta.url)), 'stand-in');

/** A pool with a workspace, and an agent in this process that works for it with the stand-in engine. */
export async function agentOf(ground: WorkspaceGround, changes: Partial<AgentSettings> = {}) {
  const stage = await poolOf(ground);
  const folder = await mkdtemp(join(tmpdir(), 'agent-test-'));
  // Runs see the cache of plugins: they leave there what a test looks for.
  const signs = await mkdtemp(join(tmpdir(), 'agent-signs-'));
  const [stopping, interruption] = [new AbortController(), new AbortController()];
  const settings: AgentSettings = {
    address: ground.service.address,
    token: new Secret(stage.token),
    name: 'tested',
    version: '1',
    engines: undefined,
    folder,
    healthFile: undefined,
    user: undefined,
    hiddenFiles: [],
    isolation: 'auto',
    network: 'guarded',
    networkAllowed: readAllowed(undefined),
    runMsMax: patience.conditionMs,
    diskBytesMax: 64 * 1024 * 1024,
    memoryBytesMax: 4 * 1024 * 1024 * 1024,
    processesMax: 2_048,
    graceMs: 2_000,
    environment: { PATH: `${standIn}:/usr/bin:/bin`, MARKER_OF_AGENT: 'marker-agent', TF_PLUGIN_CACHE_DIR: signs },
    ...changes,
  };
  const running = runAgent({ settings, log: silentLog, stopping: stopping.signal, interruption: interruption.signal });
  running.catch(() => {});
  const others: Promise<void>[] = [];
  const ending = new AbortController();
  /** Starts another agent of the pool. */
  const start = (other: Partial<AgentSettings>) => {
    const parts = { log: silentLog, stopping: ending.signal, interruption: ending.signal };
    others.push(runAgent({ ...parts, settings: { ...settings, ...other } }).catch(() => {}));
  };
  onTestFinished(async () => {
    interruption.abort();
    stopping.abort();
    ending.abort();
    await running.catch(() => {});
    await Promise.all(others);
    for (const one of [folder, signs]) await rm(one, { recursive: true, force: true });
  });
  const { workspace, writer } = stage;
  const configure = async (files: Readonly<Record<string, string>>) => {
    const body = documentOf('configuration-versions', { 'auto-queue-runs': false });
    const path = `/workspaces/${workspace.id}/configuration-versions`;
    const made = await ground.call('POST', path, body, writer.token);
    const url = made.item.attributes['upload-url'];
    const sent = await put(url, new Uint8Array(await packed({ 'main.tf': '', ...files })));
    if (sent.status !== 200) throw new Error(`the configuration was answered with ${sent.status}`);
  };
  const until = async (id: string, wanted: readonly string[]): Promise<string> => {
    const end = performance.now() + patience.conditionMs;
    for (;;) {
      const status = String(await stage.status(id));
      if (wanted.includes(status)) return status;
      if (performance.now() > end) throw new Error(`the run is ${status}: ${await logOf(id, 'plan')}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const logOf = async (id: string, part: 'plan' | 'apply') => {
    const shown = await ground.call('GET', `/runs/${id}/${part}`);
    return (await fetch(String(shown.item.attributes['log-read-url']))).text();
  };
  const variable = (attributes: object) =>
    ground.call('POST', `/workspaces/${workspace.id}/vars`, documentOf('vars', attributes));
  const folders = () => readdir(folder);
  return {
    ...stage,
    configure,
    until,
    logOf,
    variable,
    folders,
    folder,
    signs,
    start,
    running,
    stopping,
    interruption,
  };
}

/** Statuses in which a run has ended or waits for a person. */
export const settled = ['planned', 'planned_and_finished', 'applied', 'errored', 'canceled'];
