import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;
const shown = async (type: string, name: string) => (await service.ask('GET', at(type, name))).data['options'];

describe.each(definitions)('the rate group of a destination of $type', ({ type }) => {
  test('is written, shown, kept by clients that do not know it, and reset', async () => {
    const { destination } = service.fake(type);
    const name = await service.destination(type, { ...destination, rate_group: 'team.a_1-b' });
    expect(await shown(type, name)).toMatchObject({ rate_group: 'team.a_1-b' });
    expect((await service.ask('POST', at(type, name), destination)).data['options']).toMatchObject({
      rate_group: 'team.a_1-b',
    });
    await service.ask('PATCH', at(type, name), { rate_group: 'B' });
    expect(await shown(type, name)).toMatchObject({ rate_group: 'B' });
    await service.ask('PATCH', at(type, name), { rate_group: null });
    expect(await shown(type, name)).not.toHaveProperty('rate_group');
  });
});

test.each([
  ['is too long', 'a'.repeat(65)],
  ['has a space', 'team a'],
  ['begins with a dot', '.a'],
  ['ends with a line break', 'a\n'],
  ['has a letter of another script', 'équipe'],
])('a rate group that %s is refused, and nothing is stored', async (_what, rate_group) => {
  const type = 'workspace-vars';
  const { destination } = service.fake(type);
  const name = await service.destination(type, destination);
  const answer = await service.ask('PATCH', at(type, name), { rate_group });
  expect(answer.status).toBe(400);
  expect(answer.body['problems']).toEqual([
    { field: 'rate_group', message: expect.stringContaining('1 to 64 letters') },
  ]);
  expect(await shown(type, name)).not.toHaveProperty('rate_group');
  const fresh = await service.ask('POST', at(type, `${name}-new`), { ...destination, rate_group });
  expect(fresh.status).toBe(400);
  expect((await service.ask('GET', at(type, `${name}-new`))).status).toBe(404);
});

test('a rate group is a field of the forms', async () => {
  const { data } = await service.ask('GET', 'sys/sync/types/workspace-vars');
  expect(data['fields']).toContainEqual(
    expect.objectContaining({ name: 'rate_group', group: 'target', required: false, kept: true, sensitive: false }),
  );
});
