import type { Log } from '#core/log/log.ts';
import { Mask } from '#core/log/mask.ts';
import { Job, type Outcome } from '../api/job.ts';
import type { Material } from '../api/material.ts';
import type { TakenJob } from '../api/pool.ts';
import { Refused } from '../api/send.ts';
import { type Engine, engineFor } from '../engine/find.ts';
import { recordAnswer } from '../health.ts';
import { LogWriter } from '../log/writer.ts';
import { makeRunFolder } from '../run/folder.ts';
import { secretsOf } from '../run/inputs.ts';
import type { Stopped } from '../run/process.ts';
import type { AgentSettings } from '../settings.ts';
import { apply } from './apply.ts';
import { Lease } from './lease.ts';
import { plan } from './plan.ts';

export interface PerformParts {
  readonly settings: AgentSettings;
  readonly engines: readonly Engine[];
  readonly isIsolated: boolean;
  readonly log: Log;
  /** Aborts when the run is to be interrupted with the agent. */
  readonly interruption: AbortSignal;
}

/** Performs a job to its end, and reports the outcome. It rejects only when the outcome cannot be reported. */
export async function perform(parts: PerformParts, taken: TakenJob): Promise<void> {
  const job = new Job(taken);
  const material = await job.read();
  const lease = new Lease(job, material['lease-seconds'] * 1_000, () => recordAnswer(parts.settings.healthFile));
  const interrupt = () => lease.cancel();
  parts.interruption.addEventListener('abort', interrupt, { once: true });
  const mask = new Mask(secretsOf(material, taken.connection.token.reveal()));
  const log = new LogWriter(job, mask, await job.log());
  try {
    const outcome = await outcomeOf(parts, { job, material, lease, log });
    if (lease.isLost) return;
    await log.end();
    await job.finish(outcome);
  } finally {
    lease.close();
    parts.interruption.removeEventListener('abort', interrupt);
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
  const { settings, isIsolated } = parts;
  const folder = await makeRunFolder(settings);
  try {
    const engine = engineFor(material['engine-version'], parts.engines);
    await log.line(`Agent ${settings.name}, engine ${engine.version}: ${job.part} of ${job.runId}`);
    const limits = { ...settings, isIsolated, signal: lease.signal };
    const stage = { job, material, engine, log, settings, limits, folder };
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
    await folder.remove().catch((error: unknown) => parts.log.warn({ error }, 'a folder was not removed'));
  }
}

const sentences: Readonly<Record<Stopped, string>> = {
  canceled: 'The run was canceled.',
  lost: 'The agent has lost this job.',
  time: 'The engine ran longer than this agent allows, and was stopped.',
  disk: 'The run wrote more than this agent allows, and was stopped.',
};
