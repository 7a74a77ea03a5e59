import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { ending } from '#test/support/services.ts';
import { announce } from '#workspaces/resources/notification-deliveries/outbox.ts';
import { claimReceivers, wakeForgotten } from '#workspaces/resources/notification-deliveries/turns.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

/** A receiver that answers or hangs, and counts its requests. */
async function receiver({ hangs = false, status = 200 } = {}) {
  const seen = { requests: 0, open: 0, openMost: 0 };
  const server = createServer((request, response) => {
    seen.requests += 1;
    seen.open += 1;
    seen.openMost = Math.max(seen.openMost, seen.open);
    response.on('close', () => {
      seen.open -= 1;
    });
    request.resume();
    if (!hangs) response.writeHead(status).end();
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

async function workspaceWith(url: string, count: number) {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  for (let n = 0; n < count; n += 1) {
    const attributes = {
      name: `n${n}`,
      'destination-type': 'generic',
      url,
      triggers: ['run:completed'],
    };
    const path = `/workspaces/${workspace.id}/notification-configurations`;
    const made = await ground.call('POST', path, { data: { type: 'notification-configurations', attributes } });
    expect(made.status).toBe(201);
  }
  // Without the verification, which a receiver that hangs would not pass.
  await sql`
    update ws_notifications set settings = settings || '{"enabled": true}' where workspace_id = ${workspace.id}`.execute(
    ground.service.store.db,
  );
  const tell = (id: string) =>
    ground.service.store.transaction((tx) =>
      announce(tx, { id, workspaceId: workspace.id, status: 'applied', message: '' }, 'run:completed'),
    );
  const rows = async () => {
    const found = await sql<{ failures: number; waiting: number; due: boolean | null }>`
      select n.failures, n.next_at <= now() as due,
             (select count(*)::int from ws_deliveries d where d.notification_id = n.id) as waiting
        from ws_notifications n where n.workspace_id = ${workspace.id} order by n.id`.execute(ground.service.store.db);
    return found.rows;
  };
  return { organization, workspace, tell, rows };
}

test('hanging receivers delay neither other organizations nor other steps of the sweep', async () => {
  const [hanging, quick] = [await receiver({ hangs: true }), await receiver()];
  const [sick, well] = [await workspaceWith(hanging.url, 20), await workspaceWith(quick.url, 1)];
  for (let run = 0; run < 15; run += 1) await sick.tell(`run-${run}`);
  const stop = new AbortController();
  const sending = ground.service.notify(stop.signal);
  await eventually(() => hanging.seen.open > 0);
  await well.tell('run-well');
  await eventually(() => quick.seen.requests === 1);
  await sql`
    insert into ws_tokens (id, hash, user_id, expire_at) values ('at-ended', 'ended', 'user-root', now() - interval '1 day')`.execute(
    ground.service.store.db,
  );
  await ground.service.sweep();
  const { rows } = await sql`select 1 from ws_tokens where id = 'at-ended'`.execute(ground.service.store.db);
  expect(rows).toEqual([]);
  // No hanging call has ended, so everything else happened meanwhile.
  expect([hanging.seen.requests, hanging.seen.openMost]).toEqual([4, 4]);
  stop.abort();
  await sending;
  expect((await sick.rows()).map(({ failures }) => failures)).toEqual(Array.from({ length: 20 }, () => 0));
});

test('a call aborted at the end of the process is repeated and does not count as a failure', async () => {
  const hanging = await receiver({ hangs: true });
  const sick = await workspaceWith(hanging.url, 1);
  await sick.tell('run-1');
  for (const times of [1, 2]) {
    const stop = new AbortController();
    const sending = ground.service.notify(stop.signal);
    await eventually(() => hanging.seen.requests === times);
    stop.abort();
    await sending;
    expect(await sick.rows()).toEqual([{ failures: 0, waiting: 1, due: true }]);
  }
});

test('a failing receiver waits longer after each failure, with all its messages, until its configuration changes', async () => {
  const failing = await receiver({ status: 500 });
  const sick = await workspaceWith(failing.url, 1);
  await sick.tell('run-1');
  await sick.tell('run-2');
  const { db } = ground.service.store;
  const pauses: number[] = [];
  const look = async () => {
    const { rows } = await sql<{ seconds: number; id: string }>`
      select extract(epoch from next_at - now())::float8 as seconds, id from ws_notifications
       where workspace_id = ${sick.workspace.id}`.execute(db);
    return rows[0] ?? { seconds: 0, id: '' };
  };
  for (let round = 1; round <= 3; round += 1) {
    await sql`update ws_notifications set next_at = now() where workspace_id = ${sick.workspace.id}`.execute(db);
    await ground.service.notify();
    expect(failing.seen.requests).toBe(round);
    pauses.push((await look()).seconds);
  }
  expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
  expect(pauses[2]).toBeGreaterThan(pauses[1] ?? 0);
  expect(await sick.rows()).toEqual([{ failures: 3, waiting: 2, due: false }]);
  const well = await receiver();
  const path = `/notification-configurations/${(await look()).id}`;
  await ground.call('PATCH', path, { data: { type: 'notification-configurations', attributes: { url: well.url } } });
  await ground.service.notify();
  // The verification and both messages.
  expect(well.seen.requests).toBe(3);
  expect(await sick.rows()).toEqual([{ failures: 0, waiting: 0, due: null }]);
});

test('each organization gets its first turn before any gets a second one, and at most its share', async () => {
  const { store } = ground.service;
  await sql`update ws_notifications set next_at = null, claimed_until = null`.execute(store.db);
  const { url } = await receiver();
  const many = await workspaceWith(url, 10);
  const few = [await workspaceWith(url, 1), await workspaceWith(url, 1)];
  await many.tell('run-1');
  for (const one of few) await one.tell('run-1');
  const workspacesOf = (claimed: readonly { workspace_id: string | null }[]) =>
    claimed.map(({ workspace_id }) => workspace_id).toSorted();
  const all = [many, ...few].map(({ workspace }) => workspace.id);
  expect(workspacesOf(await claimReceivers(store, 'webhook', 3))).toEqual(all.toSorted());
  const rest = await claimReceivers(store, 'webhook', 100);
  expect(workspacesOf(rest)).toEqual(Array.from({ length: 3 }, () => many.workspace.id));
  expect(await claimReceivers(store, 'webhook', 100)).toEqual([]);
  await sql`update ws_notifications set claimed_until = now(), next_at = now() where next_at is not null`.execute(
    store.db,
  );
  expect(await claimReceivers(store, 'webhook', 100)).toHaveLength(6);
  await sql`update ws_notifications set claimed_until = null, next_at = now() where next_at is not null`.execute(
    store.db,
  );
  await ground.service.notify();
});

test('a message announced while the turn of its receiver ends is sent', async () => {
  const quick = await receiver();
  const well = await workspaceWith(quick.url, 1);
  await well.tell('run-1');
  const { store } = ground.service;
  const sending = await store.transaction(async (tx) => {
    await announce(
      tx,
      { id: 'run-2', workspaceId: well.workspace.id, status: 'applied', message: '' },
      'run:completed',
    );
    const ends = ground.service.notify();
    return { ends };
  });
  await sending.ends;
  await ground.service.notify();
  expect(quick.seen.requests).toBe(2);
});

test('the sweep gives a turn to receivers with messages but without a turn', async () => {
  const quick = await receiver();
  const well = await workspaceWith(quick.url, 1);
  await well.tell('run-1');
  const { store } = ground.service;
  await sql`update ws_notifications set next_at = null where workspace_id = ${well.workspace.id}`.execute(store.db);
  await ground.service.notify();
  expect(quick.seen.requests).toBe(0);
  await wakeForgotten(store, 100);
  await ground.service.notify();
  expect(quick.seen.requests).toBe(1);
});
