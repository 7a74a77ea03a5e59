import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { dropOldFiles } from '#workspaces/resources/run-lifecycle/old-files.ts';
import { documentOf } from '../../support/documents.ts';
import { filesOf } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { jobOf, poolOf } from './pool-of.ts';

// How long the logs and the plans of ended runs are kept. Plans hold values of sensitive variables.
const ground = workspaceGround();
const drop = (days: number, countMax = 1_000) => dropOldFiles(ground.service.store, days, countMax);

/** A run with a log and a plan in all forms, which is 40 days old. */
async function planned(attributes: object = {}) {
  const stage = await poolOf(ground);
  await stage.configuration();
  const agent = await stage.register();
  const { id } = (await stage.run(attributes)).item;
  const job = jobOf(ground, await stage.take(agent));
  await job.log(1, 'planned');
  for (const name of ['plan-file', 'plan-json', 'plan-redacted']) await job.bytes(name, '{"sensitive": true}');
  await job.finish({ status: 'finished', 'has-changes': true });
  const age = () =>
    sql`update ws_blobs set touched_at = now() - interval '40 days' where workspace_id = ${stage.workspace.id}`.execute(
      ground.service.store.db,
    );
  await age();
  const kinds = async () =>
    (await filesOf(ground, stage.workspace.id)).map(({ kind }) => kind).filter((kind) => kind !== 'configuration');
  /** Another run is the current one of the workspace. */
  const replaced = async () => void (await stage.run());
  const policy = (owner: string, type: string, days?: number) =>
    ground.call(
      'POST',
      `/${owner}/relationships/data-retention-policy`,
      documentOf(type, days === undefined ? {} : { 'delete-older-than-n-days': days }),
    );
  return { ...stage, id, age, kinds, replaced, policy };
}

const [older, keep] = ['data-retention-policy-delete-olders', 'data-retention-policy-dont-deletes'];

test('the plan of an ended run goes with its log, in every form, by concurrent sweeps', async () => {
  const { act, id, kinds, replaced } = await planned();
  await drop(30);
  expect(await kinds()).toHaveLength(4);
  await act(id, 'discard');
  // The file to apply goes with the end of the run.
  expect((await kinds()).toSorted()).toEqual(['log', 'plan', 'plan']);
  await drop(30);
  expect(await kinds()).toHaveLength(3);
  await replaced();
  await Promise.all([drop(0), drop(50)]);
  expect(await kinds()).toHaveLength(3);
  await Promise.all([drop(30), drop(30), drop(30)]);
  expect(await kinds()).toEqual([]);
  expect((await ground.call('GET', `/runs/${id}/plan/json-output`)).status).toBe(404);
  expect((await ground.call('GET', `/runs/${id}`)).item.attributes['status']).toBe('discarded');
});

test('a saved plan keeps its files, since it may still be applied', async () => {
  const { kinds, replaced, id, act } = await planned({ 'save-plan': true });
  await replaced();
  await drop(30);
  expect(await kinds()).toHaveLength(4);
  await act(id, 'discard');
  await drop(30);
  expect(await kinds()).toEqual([]);
});

test('the policy of the workspace, or else of its organization, decides instead of the operator', async () => {
  const { act, id, kinds, replaced, policy, workspace, organization } = await planned();
  await act(id, 'discard');
  await replaced();
  await policy(`organizations/${organization.name}`, older, 50);
  await drop(30);
  expect(await kinds()).toHaveLength(3);
  await policy(`workspaces/${workspace.id}`, keep);
  await policy(`organizations/${organization.name}`, older, 7);
  await drop(30);
  expect(await kinds()).toHaveLength(3);
  await policy(`workspaces/${workspace.id}`, older, 39);
  await drop(0);
  expect(await kinds()).toEqual([]);
});

test('the files of one organization do not keep others waiting', async () => {
  const [first, second] = [await planned(), await planned()];
  for (const one of [first, second]) {
    await one.act(one.id, 'discard');
    await one.replaced();
  }
  // 300 more files of the first one, all of them older.
  await sql`
    insert into ws_blobs (id, workspace_id, kind, whole, ending, touched_at)
    select ${`blob-${first.workspace.id}`} || n, ${first.workspace.id}, 'log', true, 'x', now() - interval '90 days'
      from generate_series(1, 300) n`.execute(ground.service.store.db);
  expect(await drop(30)).toBe(true);
  expect([(await first.kinds()).length, (await second.kinds()).length]).toEqual([103, 0]);
  await drop(30);
  expect(await first.kinds()).toEqual([]);
});
