import { expect, test } from 'vitest';
import { idOfVersion, parseCreation, parsePage } from '#destinations/deploy-host-project/client/record.ts';

const mark = 'c'.repeat(32);

test('a listing is parsed with the optional members and alternative forms of the API', () => {
  const body = {
    envs: [
      { key: 'VERCEL_ENV', type: 'system', value: '' },
      { id: 'a', key: 'DB', type: 'plain', value: 'x', target: 'production', updatedAt: 7, comment: 'by hand' },
      { id: 'b', key: 'API', type: 'encrypted', value: 'x', target: ['preview'], gitBranch: 'fix', createdAt: 3 },
      {
        id: 'c',
        key: 'OURS',
        value: 'x',
        target: ['preview'],
        comment: `managed by keyferry, mark ${mark}`,
        updatedAt: 9,
      },
    ],
  };
  const { data } = parsePage(body);
  expect(data?.envs).toMatchObject([
    { id: '', name: 'VERCEL_ENV', targets: [], mark: null },
    { id: 'a', targets: ['production'], branch: null, mark: null, version: 'a:7' },
    { id: 'b', targets: ['preview'], branch: 'fix', version: 'b:3' },
    { id: 'c', type: 'encrypted', mark, version: 'c:9' },
  ]);
  expect(JSON.stringify(data)).not.toContain('"value"');
  expect(idOfVersion('c:9')).toBe('c');
  expect(idOfVersion(null)).toBeUndefined();
});

test('a single created variable is an object or in an array', () => {
  const made = { id: 'a', key: 'DB', type: 'encrypted', value: 'x', target: ['preview'], updatedAt: 1 };
  for (const created of [made, [made]]) {
    expect(parseCreation({ created, failed: [] }).data?.created).toMatchObject([{ name: 'DB', version: 'a:1' }]);
  }
  const failed = [{ error: { code: 'ENV_CONFLICT', envVarKey: 'DB', value: 'hunter2' } }];
  expect(parseCreation({ created: [], failed }).data?.failed).toEqual([{ name: 'DB', code: 'ENV_CONFLICT' }]);
});

test.each([undefined, 'text', {}, { envs: {} }, { envs: [{ id: 'a' }] }])('%j is not a listing', (body) => {
  expect(parsePage(body).success).toBe(false);
});
