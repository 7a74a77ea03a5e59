import { expect, test } from 'vitest';
import { put } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { archive, runnableWorkspace } from './runs-of.ts';

// Data of runs that clients of the family read in addition to the status.
const ground = workspaceGround();
const comment = (body: unknown) => ({ data: { type: 'comments', attributes: { body } } });
const statusesOf = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status);

test('the queue of an organization contains waiting and running runs, oldest first', async () => {
  const { organization, configuration, run, planned, reader } = await runnableWorkspace(ground);
  const stranger = await ground.user((await ground.organization()).id);
  await configuration();
  const made = [(await run()).item.id, (await run()).item.id, (await run({ 'plan-only': true })).item.id];
  const queue = async (token = reader.token) => {
    const answer = await ground.call('GET', `/organizations/${organization.name}/runs/queue`, undefined, token);
    const capacity = await ground.call('GET', `/organizations/${organization.name}/capacity`, undefined, token);
    return {
      statuses: [answer.status, capacity.status],
      ids: answer.items.map(({ id }) => id),
      total: Object(answer.body?.meta)['pagination']?.['total-count'],
      capacity: capacity.item,
    };
  };
  expect(await queue()).toMatchObject({
    statuses: [200, 200],
    ids: made,
    total: 3,
    capacity: {
      id: organization.name,
      type: 'organization-capacity',
      attributes: { pending: 3, running: 0 },
    },
  });
  const [first = ''] = made;
  await planned(first);
  expect(await queue()).toMatchObject({ ids: made.slice(1), capacity: { attributes: { pending: 2, running: 0 } } });
  const page = `/organizations/${organization.name}/runs/queue?page%5Bsize%5D=1&page%5Bnumber%5D=2`;
  expect((await ground.call('GET', page)).items.map(({ id }) => id)).toEqual(made.slice(2));
  expect((await queue(stranger.token)).statuses).toEqual([404, 404]);
  const member = await ground.user(organization.id);
  expect(await queue(member.token)).toMatchObject({ ids: [], capacity: { attributes: { pending: 0, running: 0 } } });
});

test('a run shows who confirmed it, when it became plannable', async () => {
  const { configuration, run, planned, act, admin, writer, workspace } = await runnableWorkspace(ground);
  await configuration();
  const refused = await run({ 'policy-paths': ['policies/a'] });
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining('those of its workspace')]);
  const made = await run({ 'policy-paths': [] });
  expect(made.item.attributes).toMatchObject({
    'policy-paths': [],
    'status-timestamps': { 'plan-queueable-at': expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  expect(made.item.relationships['confirmed-by']).toEqual({ data: null });
  await planned(made.item.id);
  expect((await act(made.item.id, 'apply', admin.token)).status).toBe(202);
  const path = `/runs/${made.item.id}?include=workspace,created_by,confirmed_by,plan`;
  const shown = await ground.call('GET', path, undefined, writer.token);
  expect(shown.item.relationships['confirmed-by']).toMatchObject({ data: { id: admin.id, type: 'users' } });
  const included = shown.body?.included ?? [];
  expect(included.map(({ id, type }) => `${type} ${id}`).toSorted()).toEqual(
    [
      `plans ${made.item.id.replace('run', 'plan')}`,
      `users ${admin.id}`,
      `users ${writer.id}`,
      `workspaces ${workspace.id}`,
    ].toSorted(),
  );
  const alone = await ground.call('GET', `/workspaces/${workspace.id}`, undefined, writer.token);
  expect(included.find(({ type }) => type === 'workspaces')).toEqual(alone.item);
  const list = await ground.call('GET', `/workspaces/${workspace.id}/runs?include=created_by,workspace`);
  expect(list.body?.included?.map(({ type }) => type).toSorted()).toEqual(['users', 'workspaces']);
  const auto = await run({ 'auto-apply': true });
  expect(auto.item.relationships['confirmed-by']).toEqual({ data: null });
});

test('a run without its configuration cannot be planned until the upload', async () => {
  const { workspace, run, writer } = await runnableWorkspace(ground);
  const body = { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } };
  const path = `/workspaces/${workspace.id}/configuration-versions`;
  const { item } = await ground.call('POST', path, body, writer.token);
  const related = { 'configuration-version': { data: { type: 'configuration-versions', id: item.id } } };
  const made = await run({}, writer.token, related);
  expect(made.item.attributes['status-timestamps']).toEqual({});
  expect((await put(item.attributes['upload-url'], archive)).status).toBe(200);
  const shown = await ground.call('GET', `/runs/${made.item.id}`);
  expect(shown.item.attributes['status-timestamps']).toHaveProperty('plan-queueable-at');
});

test('callers that may read a run can comment on it, also as part of an action', async () => {
  const { configuration, run, reader, writer, planned } = await runnableWorkspace(ground);
  const stranger = await ground.user((await ground.organization()).id);
  await configuration();
  const { id } = (await run()).item;
  const path = `/runs/${id}/comments`;
  const made = await ground.call('POST', path, comment('looks right'), reader.token);
  expect([made.status, made.item.attributes['body']]).toEqual([201, 'looks right']);
  expect((await ground.call('GET', `/comments/${made.item.id}`, undefined, reader.token)).item).toEqual(made.item);
  const refused = [
    await ground.call('POST', path, comment(''), reader.token),
    await ground.call('POST', path, comment(7), reader.token),
    await ground.call('POST', path, comment('x'.repeat(8_193)), reader.token),
    await ground.call('POST', path, comment('x'), stranger.token),
    await ground.call('GET', path, undefined, stranger.token),
    await ground.call('GET', `/comments/${made.item.id}`, undefined, stranger.token),
  ];
  expect(statusesOf(refused)).toEqual([422, 422, 422, 404, 404, 404]);
  await planned(id);
  expect((await ground.call('POST', `/runs/${id}/actions/apply`, { comment: 7 }, writer.token)).status).toBe(422);
  expect((await ground.call('POST', `/runs/${id}/actions/apply`, { comment: 'go' }, writer.token)).status).toBe(202);
  const listed = await ground.call('GET', path, undefined, reader.token);
  expect(listed.items.map(({ attributes }) => attributes['body'])).toEqual(['looks right', 'go']);
  const shown = await ground.call('GET', `/runs/${id}`, undefined, reader.token);
  expect(shown.item.relationships['comments']).toMatchObject({
    data: listed.items.map((one) => ({ id: one.id, type: 'comments' })),
  });
  const events = await ground.call('GET', `/runs/${id}/run-events`, undefined, reader.token);
  expect(events.items.map(({ attributes }) => attributes['action'])).toContain('commented');
});

test('the number of comments on a run is limited', async () => {
  const { configuration, run, reader } = await runnableWorkspace(ground);
  await configuration();
  const { id } = (await run()).item;
  const many = await Promise.all(
    Array.from({ length: 52 }, (_, at) => ground.call('POST', `/runs/${id}/comments`, comment(`c${at}`), reader.token)),
  );
  expect(statusesOf(many).filter((status) => status === 201)).toHaveLength(50);
  expect(statusesOf(many).filter((status) => status === 422)).toHaveLength(2);
});
