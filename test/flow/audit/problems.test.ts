import { afterEach, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { fileDevice, removeDevices, textOf } from './log.ts';

const service = serviceOf([]);
afterEach(() => removeDevices(service));

test('a device records neither the values nor the names of fields in the problems of a refusal', async () => {
  const { file } = await fileDevice(service);
  const answer = await service.ask('DELETE', 'sys/sync/config?name-in-marker=value-in-marker');
  expect(answer.body['problems']).toEqual([{ field: 'name-in-marker', message: answer.errors[0] }]);
  const refused = await service.ask('POST', 'sys/sync/config', { queue_capacity: 'capacity-in-marker' });
  expect(refused.body['problems']).toEqual([{ field: 'queue_capacity', message: expect.any(String) }]);
  const text = await textOf(file);
  const after = text.split('\n').filter((line) => line.includes('sys/sync/config'));
  expect(after.length).toBeGreaterThanOrEqual(4);
  expect(after.join()).not.toContain('problems');
  expect(text).not.toContain('value-in-marker');
  expect(text).not.toContain('capacity-in-marker');
});
