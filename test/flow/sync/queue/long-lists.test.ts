import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const shownMax = 100_000;

let destinationName = '';
beforeAll(async () => {
  destinationName = await service.destination(type);
  await insertAssociations(service, destinationName, shownMax + 1);
});
afterAll(async () => {
  await service.ask('DELETE', `sys/sync/destinations/${type}/${destinationName}?force_delete=true`);
});

test('the associations of a destination are truncated at a hundred thousand, in order, with a warning', async () => {
  const { data, warnings } = await service.ask('GET', `sys/sync/destinations/${type}/${destinationName}/associations`);
  const keys = Object.keys(Object(data['associated_secrets']));
  expect(keys).toHaveLength(shownMax);
  expect(keys.slice(0, 2).map((key) => key.slice(-7))).toEqual(['/000001', '/000002']);
  expect(data['sync_operation_counters']).toEqual({ SYNCED: shownMax });
  expect(warnings.join()).toContain(`the first ${shownMax} associations of this destination: there are more`);
});

test('the list of associated secrets is truncated at the same number, with a warning', async () => {
  const { data, warnings } = await service.ask('LIST', 'sys/sync/associations');
  expect(data).toMatchObject({ total_associations: shownMax, total_secrets: shownMax });
  expect(warnings.join()).toContain(`the first ${shownMax} associated secrets: there are more`);
});

test('one secret among them is found by its path', async () => {
  const { data } = await service.ask('GET', `sys/sync/associations/secret/many-of-${destinationName}/054321`);
  expect(Object.keys(Object(data['associated_destinations']))).toEqual([`${type}/${destinationName}`]);
  const path = `sys/sync/associations/destinations?mount=secret&secret_name=many-of-${destinationName}/054321`;
  expect((await service.ask('GET', path)).data).toEqual(data);
});

test('a path of thousands of segments is a 404', async () => {
  const path = `sys/sync/associations/destinations?mount=secret&secret_name=${'a/'.repeat(3_000)}b`;
  expect((await service.ask('GET', path)).status).toBe(404);
});
