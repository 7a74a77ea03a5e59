import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { ending } from '#test/support/services.ts';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';
import { addedTask } from './service-of.ts';

const ground = workspaceGround();

/** A service that never answers. */
async function hangingService() {
  const seen = { open: 0 };
  const server = createServer((request) => {
    seen.open += 1;
    request.resume();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ending({
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('services that hang delay only their own organization, and requests that were aborted are sent again', async () => {
  const { seen, url } = await hangingService();
  const { db } = ground.service.store;
  const sick = await runnableWorkspace(ground);
  await sick.configuration();
  for (let n = 0; n < 6; n += 1) await addedTask(ground, sick, { stages: ['pre_plan'] });
  await sql`update ws_organization_tasks set url = ${url} where organization_id = ${sick.organization.id}`.execute(db);
  await sick.run();
  const stop = new AbortController();
  const asking = ground.service.notify(stop.signal);
  await eventually(() => seen.open === 4);
  const well = await runnableWorkspace(ground);
  await well.configuration();
  const { service } = await addedTask(ground, well, { stages: ['pre_plan'] });
  await well.run();
  await eventually(() => service.received.length === 1);
  expect(seen.open).toBe(4);
  stop.abort();
  await asking;
  const { rows } = await sql<{ attempts: number; due: boolean }>`
    select attempts, next_at <= now() as due from ws_task_results
     where organization_id = ${sick.organization.id}`.execute(db);
  expect(rows).toEqual(Array.from({ length: 6 }, () => ({ attempts: 0, due: true })));
});
