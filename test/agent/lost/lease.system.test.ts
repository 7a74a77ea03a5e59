import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Job } from '#agent/api/job.ts';
import { send } from '#agent/api/send.ts';
import { Lease } from '#agent/job/lease.ts';
import { confinedRun } from '../apart/confined.ts';
import { documentText, scriptedService } from './scripted-service.ts';

// The agent against a service that answers for a while, and then no longer.
async function serverOf(answer: (count: number, response: ServerResponse) => void) {
  const { requests, connection } = await scriptedService((_request, response) => answer(requests.length, response));
  return connection;
}

const extension = (isCanceled: boolean) => documentText('apply-x', { 'cancel-requested': isCanceled });

const jobAt = (connection: Awaited<ReturnType<typeof serverOf>>) =>
  new Job({ id: 'apply-x', runId: 'run-x', part: 'apply', connection });

const held = (leaseMs: number) => ({ leaseMs, graceMs: 500, extended: async () => {} });

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

test('an engine that ignores its interruption is dead when the lease ends, while the service hangs', async () => {
  const hanging: ServerResponse[] = [];
  const job = jobAt(
    await serverOf((count, response) => {
      if (count === 1) response.end(extension(false));
      else hanging.push(response);
    }),
  );
  const lease = await Lease.of(job, held(6_000));
  onTestFinished(() => lease.close());
  // Neither is the long grace of a cancel waited for.
  const { say } = await confinedRun({ signal: lease.signal, over: lease.over, graceMs: 3_600_000 });
  const { reason } = await say("trap '' INT; while :; do sleep 0.1; done");
  expect(reason).toBe('lost');
  expect(lease.isLost).toBe(true);
  // The agent did not have to learn it from a request that failed: the first one still waits.
  expect(hanging.map(({ destroyed }) => destroyed)).toEqual([false]);
});

test('a run that is canceled before the agent begins does not begin', async () => {
  const job = jobAt(await serverOf((_count, response) => response.end(extension(true))));
  const lease = await Lease.of(job, held(60_000));
  onTestFinished(() => lease.close());
  const { say } = await confinedRun({ signal: lease.signal, over: lease.over });
  expect(await say('echo begun')).toEqual({ code: null, reason: 'canceled', text: '' });
});

test('a lease that the service has ended interrupts the engine, and ends', async () => {
  const job = jobAt(
    await serverOf((count, response) => {
      if (count > 1) response.statusCode = 404;
      response.end(count > 1 ? '{}' : extension(false));
    }),
  );
  const lease = await Lease.of(job, held(60_000));
  onTestFinished(() => lease.close());
  await aborted(lease.signal);
  expect(lease.signal.reason).toBe('lost');
  await aborted(lease.over);
});

test('a request of a job is repeated until the service answers, however often, and ends with the lease', async () => {
  const failures = 8;
  const connection = await serverOf((count, response) => {
    if (count <= failures) response.statusCode = 503;
    response.end('{}');
  });
  const never = new AbortController();
  const reply = await send(connection, { method: 'POST', path: '/x', until: never.signal });
  expect(reply.status).toBe(200);
  const down = await serverOf((_count, response) => void response.socket?.destroy());
  const lease = new AbortController();
  const sending = send(down, { method: 'POST', path: '/x', until: lease.signal });
  lease.abort();
  await expect(sending).rejects.toThrow();
});
