import type { Log } from '#core/log/log.ts';
import { Mask } from '#core/log/mask.ts';
import { Job, type Outcome } from '../api/job.ts';
import type { Material } from '../api/material.ts';
import type { TakenJob } from '../api/pool.ts';
import { Refused } from '../api/send.ts';
import type { Engine } from '../engine/find.ts';
import { LogWriter } from '../log/writer.ts';
import type { Confinement } from '../run/apart/confine.ts';
import type { Stopped } from '../run/command.ts';
import { makeRunFolder, type RunFolder } from '../run/folder.ts';
import { secretsOf } from '../run/inputs.ts';
import { endProcessesOf, userOfRun } from '../run/users.ts';
import type { AgentSettings, User } from '../settings.ts';
import { apply } from './apply.ts';
import { Lease } from './lease.ts';
import { plan } from './plan.ts';

export interface PerformParts {
  readonly settings: AgentSettings;
  readonly engines: readonly Engine[];
  readonly confinement: Confinement;
  readonly log: Log;
  /** Called when the service has answered. */
  readonly answered: () => Promise<void>;
  /** Aborts when the run is to be interrupted with the agent. */
  readonly interruption: AbortSignal;
}

/** Performs a job to its end, and reports the outcome. It rejects only when the outcome cannot be reported. */
export async function perform(parts: PerformParts, taken: TakenJob): Promise<void> {
  const { settings, interruption } = parts;
  const job = new Job(taken);
  // First of all: a job whose material was never read is given to another agent.
  const material = await job.read();
  const lease = await Lease.of(job, {
    leaseMs: material['lease-seconds'] * 1_000,
    graceMs: settings.graceMs,
    extended: parts.answered,
  });
  const interrupt = () => lease.cancel();
  interruption.addEventListener('abort', interrupt, { once: true });
  try {
    if (interruption.aborted) interrupt();
    job.repeatUntil(lease.over);
    const secrets = new Mask(secretsOf(material, taken.connection.token.reveal()));
    const log = new LogWriter(job, secrets, await job.log());
    const outcome = await outcomeOf(parts, { job, material, lease, log });
    if (lease.isLost) return;
    await log.end();
    await job.finish(outcome);
  } finally {
    lease.close();
    interruption.removeEventListener('abort', interrupt);
  }
}

interface Performing {
  readonly job: Job;
  readonly material: Material;
  readonly lease: Lease;
  readonly log: LogWriter;
}

/** Every failure becomes an outcome, with its reason in the log. */
async function outcomeOf(parts: PerformParts, { job, material, lease, log }: Performing): Promise<Outcome> {
  const { engines, confinement } = parts;
  let folder: RunFolder | undefined;
  let user: User | undefined;
  try {
    user = await userOfRun(parts.settings);
    const settings = { ...parts.settings, user };
    folder = await makeRunFolder(settings);
    const limits = { ...settings, confinement, signal: lease.signal, over: lease.over };
    const stage = { job, material, engines, log, settings, limits, folder };
    const done = await (job.part === 'plan' ? plan(stage) : apply(stage));
    if ('status' in done) return done;
    if (done.reason !== undefined) await log.line(`\n${sentences[done.reason]}`);
    return { status: done.reason === 'canceled' ? 'canceled' : 'errored' };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    parts.log.warn({ run: job.runId, part: job.part, error: text }, 'a job failed');
    if (!(error instanceof Refused && error.isOver)) await log.line(`\n${text}`).catch(() => {});
    return { status: 'errored' };
  } finally {
    if (user !== undefined && parts.settings.user === undefined) await endProcessesOf(user, confinement.sh);
    await folder?.remove().catch((error: unknown) => parts.log.warn({ error }, 'a folder was not removed'));
  }
}

const sentences: Readonly<Record<Stopped, string>> = {
  canceled: 'The run was canceled.',
  lost: 'The agent could not reach the service for too long, or has lost this job: the engine was interrupted.',
  time: 'The engine ran longer than this agent allows, and was stopped.',
  disk: 'The run wrote more than this agent allows, and was stopped.',
  hidden:
    'The run wrote where this agent cannot measure it, in folders that are too deep or closed to it for example, and was stopped.',
  memory: 'The run took more memory than this agent allows, and was stopped.',
  processes: 'The run started more processes than this agent allows, and was stopped.',
};
