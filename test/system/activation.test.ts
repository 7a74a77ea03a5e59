import { expect, test } from 'vitest';
import { activationRows } from '#system/fixed-replies.ts';
import { call } from './calling.ts';

test('the sync is active, before and after a script activates it', async () => {
  const active = { data: { activated: ['secrets-sync'], unactivated: [] } };
  expect(await call(activationRows, 'read', 'activation-flags')).toEqual(active);
  expect(await call(activationRows, 'write', 'activation-flags/secrets-sync/activate')).toEqual(active);
  expect(await call(activationRows, 'read', 'activation-flags')).toEqual(active);
});
