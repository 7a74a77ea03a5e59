import { enable, makeAgain } from './actions.ts';
import { check } from './check.ts';
import { type Call, openClient } from './client.ts';
import { type FaultCounts, releaseMonkey } from './faults/injector.ts';
import { changeWhileLate } from './faults/late.ts';
import { callCount, reportAll, watchForStall } from './faults/stall.ts';
import { type PlayOptions, type Progress, play } from './player.ts';
import { lookAround, type Open, untilQuiet } from './quiet.ts';
import { randomFrom } from './random.ts';
import { newScene } from './setting.ts';
import { type Ground, openWorld, type World } from './world.ts';

export interface RunOptions extends Ground {
  readonly seed: number;
  readonly operations: number;
  readonly clientCount: number;
  readonly playMsMax: number;
  readonly quietMsMax: number;
  readonly report: (text: string) => void;
  /** The pooler before PostgreSQL, if any. */
}

/** The result of one seed. It passed when there are no violations. */
export interface Outcome {
  readonly seed: number;
  readonly operations: number;
  readonly unknown: number;
  /** Reasons for missing answers, and how often each occurred. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Operations by name and answer. */
  readonly byName: ReadonlyMap<string, number>;
  readonly injected: FaultCounts;
  readonly kills: number;
  readonly playSeconds: number;
  readonly quietSeconds: number;
  readonly objects: number;
  readonly calls: number;
  readonly violations: readonly string[];
  /** Folder of the logs of a failed seed. */
  readonly folder: string | undefined;
}

const reportEveryMs = 5_000;

/** Plays one seed from the start to the comparison at the end. */
export async function run(options: RunOptions, onWorld: (world: World | undefined) => void): Promise<Outcome> {
  const world = await openWorld(options);
  onWorld(world);
  let failed = true;
  const watch = watchForStall(world, options.report);
  try {
    const outcome = await playOut(options, world);
    failed = outcome.violations.length > 0;
    return { ...outcome, folder: failed ? world.folder : undefined };
  } finally {
    watch.stop();
    await world.close(failed);
    onWorld(undefined);
  }
}

async function playOut(options: RunOptions, world: World): Promise<Outcome> {
  const random = randomFrom(options.seed);
  const addresses = random.fork();
  const reasons = new Map<string, number>();
  const call = openClient(world.token, () => addresses.pick(reachable(world)), reasons);
  const setting = newScene(options.clientCount, world.fakes);
  await prepare(setting, call);
  const progress: Progress = { operations: 0, unknown: 0, byName: new Map() };
  const faults = releaseMonkey(world, random.fork(), () => progress.operations);
  const began = Date.now();
  const reporting = setInterval(() => {
    void progressLine(progress, world, began).then(options.report);
  }, reportEveryMs);
  const playing: PlayOptions = {
    setting,
    call,
    progress,
    random: random.fork(),
    fakes: world.fakes,
    complaints: world.complaints,
    clientCount: options.clientCount,
    operationsMax: options.operations,
    deadline: began + options.playMsMax,
  };
  try {
    await play(playing);
  } finally {
    clearInterval(reporting);
    await faults.stop();
  }
  const played = Date.now();
  await becomeQuiet(options, world, call);
  await changeWhileLate(playing, random.fork());
  const open = await becomeQuiet(options, world, call);
  const quiet = Date.now();
  if (stillOpen(open).length > 0) await reportAll(world, 'it did not become quiet', options.report);
  const violations = [...world.complaints, ...stillOpen(open), ...(await check(world, setting, call))];
  return {
    seed: options.seed,
    operations: progress.operations,
    unknown: progress.unknown,
    byName: progress.byName,
    reasons,
    injected: faults.injected,
    kills: world.processes.reduce((sum, { kills }) => sum + kills, 0),
    playSeconds: (played - began) / 1_000,
    quietSeconds: (quiet - played) / 1_000,
    objects: [...world.fakes.values()].reduce((sum, fake) => sum + fake.objects().size, 0),
    calls: callCount(world),
    violations,
    folder: undefined,
  };
}

async function becomeQuiet(options: RunOptions, world: World, call: Call): Promise<Open> {
  if (!(await enable(call))) world.complaints.push('the sync could not be enabled');
  return untilQuiet(world, call, options.quietMsMax);
}

/** Like a load balancer, prefers the addresses that are known to be up. */
function reachable({ addresses, processes }: World): readonly string[] {
  const up = addresses.filter((_, index) => processes[index]?.ready === true);
  return up.length > 0 ? up : addresses;
}

async function prepare(setting: ReturnType<typeof newScene>, call: ReturnType<typeof openClient>): Promise<void> {
  for (const destination of setting.destinations) {
    if (!(await makeAgain({ call, setting }, destination))) throw new Error(`${destination.id} could not be made`);
  }
}

const stillOpen = (open: Open): readonly string[] =>
  Object.entries(open).flatMap(([what, count]) => (count === 0 ? [] : [`it did not become quiet: ${count} ${what}`]));

async function progressLine(progress: Progress, world: World, began: number): Promise<string> {
  const open = await lookAround(world).catch(() => undefined);
  const seconds = (Date.now() - began) / 1_000;
  const kills = world.processes.reduce((sum, one) => sum + one.kills, 0);
  const rate = (progress.operations / seconds).toFixed(0);
  const up = world.processes.filter(({ ready }) => ready).length;
  return `${seconds.toFixed(0)} s: ${progress.operations} operations (${rate}/s), ${progress.unknown} without an answer, ${kills} kills, ${up} of ${world.processes.length} processes up, ${callCount(world)} calls, ${openText(open)}`;
}

function openText(open: Open | undefined): string {
  if (open === undefined) return 'a server is away';
  const { dirty, inFlight, failed, pending, jobs } = open;
  const counts = `${dirty} dirty, ${inFlight} in flight, ${failed} failed, ${pending} pending, ${jobs} jobs`;
  return open.disabled === 0 ? counts : `${counts}, disabled`;
}
