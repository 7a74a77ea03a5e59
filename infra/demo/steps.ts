import { definitions } from '#destinations/index.ts';
import type { Terminal } from '../show/terminal.ts';
import { runLine } from './command-line.ts';
import { type Copy, compareCopies, copiesOf, showCopies, untilStatus } from './copies.ts';
import { showNarrowToken } from './narrow-token.ts';
import { showRemoteRun } from './remote-run.ts';
import type { Stage } from './stage.ts';
import { showWorkspace } from './workspace.ts';

export interface Step {
  readonly title: string;
  run(stage: Stage, terminal: Terminal): Promise<void>;
}

const secret = { mount: 'secret', secret_name: 'demo/database' };
const path = `${secret.mount}/data/${secret.secret_name}`;
const types = definitions.map(({ type }) => type);
const destination = (type: string) => `sys/sync/destinations/${type}/demo`;
/** The type that is made to fail. */
const [sick = ''] = types;

/** The exit code of `plan` and `drift` when something differs. */
const changes = 3;

const passwords = ['correct horse', 'battery staple', 'third time lucky', 'fourth time', 'fifth and last'] as const;

const write = (stage: Stage, password: string) => stage.api.write(path, { data: { user: 'app', password } });

/** Waits until every copy has the status, shows them and, if they should exist, reads them back from the stand-ins. */
async function showAll(stage: Stage, terminal: Terminal, status: string, password?: string): Promise<readonly Copy[]> {
  const copies = await untilStatus(stage, secret, () => status);
  showCopies(terminal, copies);
  if (password !== undefined) compareCopies(stage, terminal, copies, { user: 'app', password });
  return copies;
}

export const steps: readonly Step[] = [
  {
    title: `Write the KV v2 secret ${path}`,
    async run(stage, terminal) {
      const { version } = await stage.api.write<{ version: number }>(path, {
        data: { user: 'app', password: passwords[0] },
      });
      terminal.line(`  version ${version} is stored, encrypted`);
    },
  },
  {
    title: `Create ${types.length} destinations, one of each type`,
    async run(stage, terminal) {
      for (const type of types) {
        const made = await stage.api.write<{ options: { granularity_level: string } }>(destination(type), {
          ...stage.fakes.get(type)?.destination,
        });
        terminal.line(`  ${type}/demo, granularity ${made.options.granularity_level}`);
      }
    },
  },
  {
    title: 'Associate the secret with all of them, and read the copies back from the external systems',
    async run(stage, terminal) {
      const took = new Map<string, number>();
      for (const type of types) {
        const began = performance.now();
        await stage.api.write(`${destination(type)}/associations/set`, secret);
        took.set(type, performance.now() - began);
      }
      const copies = await untilStatus(stage, secret, () => 'SYNCED');
      showCopies(terminal, copies, took);
      compareCopies(stage, terminal, copies, { user: 'app', password: passwords[0] });
    },
  },
  {
    title: 'Write a second version: it is pushed to all destinations',
    async run(stage, terminal) {
      await write(stage, passwords[1]);
      await showAll(stage, terminal, 'SYNCED', passwords[1]);
    },
  },
  {
    title: `Check ${sick} by the command line, and plan another name template for it: nothing is written`,
    async run(stage, terminal) {
      await runLine(stage, terminal, ['destinations', 'check', `${sick}/demo`]);
      const template = 'demo-{{ .SecretBaseName }}';
      await runLine(stage, terminal, ['plan', `${sick}/demo`, '--template', template], changes);
    },
  },
  {
    title: `Change a copy at ${sick} by hand: the drift is found, and a plan of its repair applied`,
    async run(stage, terminal) {
      const copies = await copiesOf(stage, secret);
      const copy = copies.find(({ type }) => type === sick)?.externalName ?? '';
      stage.fakes.get(sick)?.change(copy, 'changed by hand');
      await runLine(stage, terminal, ['drift', `${sick}/demo`], changes);
      await runLine(stage, terminal, ['plan', `${sick}/demo`, '--apply', '--yes']);
      await showAll(stage, terminal, 'SYNCED', passwords[1]);
    },
  },
  {
    title: 'Disable the sync and write a third version: it stays PENDING, and no external system is called',
    async run(stage, terminal) {
      await stage.api.merge('sys/sync/config', { disabled: true });
      const before = callCount(stage);
      await write(stage, passwords[2]);
      await showAll(stage, terminal, 'PENDING');
      if (callCount(stage) !== before) throw new Error('an external system was called while the sync was disabled');
      terminal.line('  no call to an external system');
    },
  },
  {
    title: 'Enable the sync: the waiting version is pushed',
    async run(stage, terminal) {
      await stage.api.merge('sys/sync/config', { disabled: false });
      await showAll(stage, terminal, 'SYNCED', passwords[2]);
    },
  },
  {
    title: `Withdraw our rights at ${sick} and write a fourth version: that destination fails, the others succeed`,
    async run(stage, terminal) {
      stage.fakes.get(sick)?.fail({ kind: 'denied' });
      await write(stage, passwords[3]);
      const copies = await untilStatus(stage, secret, (type) => (type === sick ? 'CLIENT_SIDE_ERROR' : 'SYNCED'));
      showCopies(terminal, copies);
      for (const { type, error } of copies)
        if (error !== null) terminal.line(`  ${type}: ${error.kind}: ${error.message}`);
    },
  },
  {
    title: 'Restore the rights and replay the failed syncs by the command line',
    async run(stage, terminal) {
      stage.fakes.get(sick)?.heal();
      const filter = ['--type', sick, '--kind', 'permission'];
      await runLine(stage, terminal, ['batches', 'create', 'replay', ...filter, '--yes', '--wait']);
      await showAll(stage, terminal, 'SYNCED', passwords[3]);
    },
  },
  {
    title: 'Create a token that may only write this secret and see its sync status',
    async run(stage, terminal) {
      const password = passwords[4];
      await showNarrowToken(stage, terminal, secret, { user: 'app', password });
      await showAll(stage, terminal, 'SYNCED', password);
    },
  },
  {
    title: 'Create a workspace, store its state, and sync a secret into its variables',
    run: showWorkspace,
  },
  {
    title: 'Plan and apply a configuration by an agent, if terraform or tofu is on this machine',
    run: showRemoteRun,
  },
  {
    title: 'Remove the associations: the external copies are removed',
    async run(stage, terminal) {
      const copies = await copiesOf(stage, secret);
      for (const type of types) await stage.api.write(`${destination(type)}/associations/remove`, secret);
      for (const { type, externalName } of copies) {
        if (stage.fakes.get(type)?.objects().has(externalName)) throw new Error(`${type} still has ${externalName}`);
        terminal.line(`  ${type}: ${externalName} was removed`);
      }
    },
  },
];

function callCount(stage: Stage): number {
  let count = 0;
  for (const fake of stage.fakes.values()) for (const calls of fake.calls().values()) count += calls;
  return count;
}
