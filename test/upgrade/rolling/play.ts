import { setTimeout as pause } from 'node:timers/promises';
import { openCaller, type Rotation } from './caller.ts';
import { checkCopies, untilQuiet, watchCopies } from './copies.ts';
import { playWorkspaces } from './runs.ts';
import { mount, type Owned, type Play, playSecrets, setAssociation, write } from './secrets.ts';
import type { Running, Stage } from './stage.ts';
import { Tally } from './tally.ts';
import { playTokens } from './tokens.ts';

export interface RollingOptions {
  /** The duration of all phases together, without the starts and ends of processes. */
  readonly playMs: number;
  readonly clients: number;
  readonly report: (text: string) => void;
}

export interface Rolled {
  readonly tally: Tally;
  /** Schema steps that the new release added. */
  readonly steps: readonly string[];
  /** The result of starting the old release again on the schema of the new one. */
  readonly back: 'started' | 'refused';
  readonly copies: number;
  readonly calls: Readonly<Record<'old' | 'new', number>>;
}

const programs = ['serve', 'worker', 'sweep'] as const;
/** With six clients this stays below the hundred secrets that a repository may have. */
const secretsOfClient = 15;
export const clientsMax = 6;
const quietMsMax = 120_000;
export const refusal = 'it was opened by a newer release; start that one';

/** All phases: both releases side by side, one step back while the old one still runs, forward again, and a restart of the old one. */
export async function roll(stage: Stage, { playMs, clients, report }: RollingOptions): Promise<Rolled> {
  const tally = new Tally();
  const rotation: Rotation = new Set();
  const groups = { old: [] as Running[], new: [] as Running[] };
  const begin = (name: string) => {
    tally.begin(name);
    report(name);
  };
  const forPart = (part: number) => pause(playMs * part);
  const up = async (release: 'old' | 'new') => {
    for (const program of programs) {
      const running = await stage.start(release, program);
      groups[release].push(running);
      if (program === 'serve') rotation.add(running.started.ready);
    }
  };
  /** Ends processes like an orchestrator: out of rotation and SIGTERM at once. The sweep and the worker first, the API last. */
  const down = async (release: 'old' | 'new') => {
    for (const { program, started } of groups[release].splice(0).reverse()) {
      rotation.delete(started.ready);
      const { code, err } = await started.end('SIGTERM');
      if (code !== 0) tally.violation(`the ${release} ${program} ended with ${code}: ${err.slice(-3).join(' ')}`);
    }
  };

  begin('the old release alone');
  await up('old');
  const before = await stage.schemaSteps();
  const call = openCaller(rotation, tally);
  const rootToken = await initialise(call);
  let isOver = false;
  const play: Play = { call, tally, rootToken, destinations: [...stage.destinations.keys()], isOver: () => isOver };
  const secrets = await prepare(play, stage, clients);
  const stopWatching = watchCopies(stage, play);
  const playing = Promise.all([
    ...Array.from({ length: clients }, (_, index) => playSecrets(play, ownedBy(secrets, index))),
    playTokens(play, rotation),
    playWorkspaces(play, 'rolling'),
  ]).catch((error: unknown) => tally.violation(`a client ended: ${String(error)}`));
  let back: Rolled['back'] = 'refused';
  try {
    await forPart(0.1);
    begin('the new release starts, and both work');
    await up('new');
    await forPart(0.25);
    begin('a step back: the new release is ended, and the old one continues');
    await down('new');
    await forPart(0.2);
    begin('forward again: both work');
    await up('new');
    await forPart(0.15);
    begin('the old release is ended');
    await down('old');
    await forPart(0.1);
    begin('the old release is started again');
    back = await startAgain(stage, tally, up);
    await forPart(0.2);
  } finally {
    isOver = true;
    await playing;
    stopWatching();
  }
  if (!(await untilQuiet(stage, quietMsMax))) tally.violation('work is left');
  const copies = await checkCopies(stage, play, secrets);
  tally.end();
  checkProcesses(stage, tally);
  const after = await stage.schemaSteps();
  const calls = { old: stage.counter.calls('old'), new: stage.counter.calls('new') };
  return { tally, steps: after.filter((name) => !before.includes(name)), back, copies, calls };
}

type Call = ReturnType<typeof openCaller>;

async function initialise(call: Call): Promise<string> {
  const { body } = await call('prepare', 'POST', '/v1/sys/init', { body: {} });
  const token = String(body['root_token']);
  await call('prepare', 'POST', `/v1/sys/mounts/${mount}`, { token, body: { type: 'kv-v2' } });
  return token;
}

/** Destinations, and secrets that are each associated with at least one of them. */
async function prepare(play: Play, stage: Stage, clients: number): Promise<readonly Owned[]> {
  for (const [path, body] of stage.destinations) {
    const at = `/v1/sys/sync/destinations/${path}`;
    const { status, body: said } = await play.call('prepare', 'POST', at, { token: play.rootToken, body });
    if (status >= 300) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(said)}`);
  }
  const secrets = Array.from({ length: clients * secretsOfClient }, (_, index): Owned => {
    return { name: `app-${index}`, value: 0, wanted: new Set() };
  });
  for (const [index, secret] of secrets.entries()) {
    await write(play, secret);
    await setAssociation(play, secret, play.destinations[index % play.destinations.length] ?? '', 'set');
  }
  return secrets;
}

const ownedBy = (secrets: readonly Owned[], client: number): readonly Owned[] =>
  secrets.slice(client * secretsOfClient, (client + 1) * secretsOfClient);

/** Checks that each program of the old release works on the newer schema, or ends at once with one line that says what to do. */
async function startAgain(stage: Stage, tally: Tally, up: (release: 'old') => Promise<void>): Promise<Rolled['back']> {
  for (const program of ['sweep', 'serve', 'worker'] as const) {
    const { code, err } = await stage.ended('old', program, program === 'sweep' ? ['--once'] : []);
    if (program === 'sweep' && code === 0) {
      await up('old');
      return 'started';
    }
    const text = err.join('\n');
    if (code !== 1 || !text.includes(refusal))
      tally.violation(`the old ${program} ended with ${code}: ${text.slice(-500)}`);
  }
  return 'refused';
}

/** Checks that no process has exited unexpectedly or logged a fault. */
function checkProcesses({ all }: Stage, tally: Tally): void {
  for (const { release, program, started } of all) {
    for (const line of started.err.filter((one) => one.includes('"level":50'))) {
      tally.violation(`the ${release} ${program} logged ${line.slice(0, 300)}`);
    }
  }
}
