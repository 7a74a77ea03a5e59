import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/log/log.ts';
import { Pool, type TakenJob } from './api/pool.ts';
import { Refused } from './api/send.ts';
import { findEngines } from './engine/find.ts';
import { recordAnswer } from './health.ts';
import { type PerformParts, perform } from './job/perform.ts';
import { hasNetwork, protectionBy, protectionFor } from './protection.ts';
import { removeAbandonedRuns } from './run/abandoned.ts';
import type { AgentSettings } from './settings.ts';

export interface AgentParts {
  readonly settings: AgentSettings;
  readonly log: Log;
  /** Aborts when the agent is to take no more work. The job in progress goes on. */
  readonly stopping: AbortSignal;
  /** Aborts when the job in progress is to be interrupted too. */
  readonly interruption: AbortSignal;
  /** Called once the agent waits for work. */
  readonly onReady?: () => void;
}

const failureMs = 5_000;
/** How long an agent that is stopped waits for the reply to its request for work, in milliseconds. */
const lastReplyMs = 1_000;
/** Interval between two looks for folders of killed agents, in milliseconds. */
const tidyMs = 900_000;

/**
 * Takes plans and applies of a pool, one at a time, until it is stopped. An error of one job, or a server that cannot be reached, does not end it.
 *
 * @throws Error when it cannot begin: no engine, no isolation although it is required, a proxy that it cannot use, or a token that the server does not know
 */
export async function runAgent(parts: AgentParts): Promise<void> {
  const { log, stopping } = parts;
  const settings = { ...parts.settings, folder: await realpath(parts.settings.folder) };
  const engines = await findEngines(settings.engines, settings.environment);
  if (engines.length === 0)
    throw new Error(
      'no engine was found: put terraform or tofu on the PATH, or set KEYFERRY_AGENT_ENGINES to a folder of versions',
    );
  const confinement = await protectionFor(settings, engines, log);
  const protection = protectionBy(settings, confinement);
  const answered = () => recordAnswer(settings.healthFile, protection);
  const pool = new Pool({ address: settings.address, token: settings.token });
  let id = await pool.register(settings);
  log.info(
    { agent: id, engines: engines.map(({ version }) => version), protection, isGuarded: hasNetwork(confinement) },
    'the agent waits for work',
  );
  await answered();
  parts.onReady?.();
  let tidyAt = 0;
  while (!stopping.aborted) {
    try {
      if (performance.now() >= tidyAt) {
        tidyAt = performance.now() + tidyMs;
        await tidy(settings, log);
      }
      const job = await pool.take(id, afterwards(stopping), () => void answered());
      await answered();
      if (job === undefined) continue;
      // Nobody has read its material, so its lease ends without it and another agent gets it.
      if (stopping.aborted) log.info({ run: job.runId, part: job.part }, 'a job is given back');
      else
        await performSafely({ settings, engines, confinement, log, answered, interruption: parts.interruption }, job);
    } catch (error) {
      if (stopping.aborted) break;
      if (error instanceof Refused && error.status === 401) throw error;
      // The service forgets agents that were silent for a day.
      if (error instanceof Refused && error.status === 404) id = await pool.register(settings).catch(() => id);
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the agent cannot work');
      await delay(failureMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
  await pool.exit(id).catch(() => {});
}

/** Aborts shortly after another signal: the reply to a request in flight may bring a job. */
function afterwards(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => void setTimeout(() => controller.abort(), lastReplyMs);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

async function tidy(settings: AgentSettings, log: Log): Promise<void> {
  const folders = await removeAbandonedRuns(settings);
  if (folders > 0) log.info({ folders }, 'folders of runs whose agent was killed were removed');
}

/** A job that cannot be reported is not the end of the agent: its lease ends, and the service decides. */
async function performSafely(parts: PerformParts, job: TakenJob): Promise<void> {
  const { log } = parts;
  const names = { run: job.runId, part: job.part };
  log.info(names, 'a job begins');
  try {
    await perform(parts, job);
    log.info(names, 'a job has ended');
  } catch (error) {
    log.warn(
      { ...names, error: error instanceof Error ? error.message : String(error) },
      'a job could not be reported',
    );
  }
}
