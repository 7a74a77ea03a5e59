import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '#core/config.ts';

const times = (operationMs: number, requestMs: number, lockMs: number) => ({
  KEYFERRY_SYNC_OPERATION_MS_MAX: String(operationMs),
  KEYFERRY_SYNC_REQUEST_MS_MAX: String(requestMs),
  KEYFERRY_SYNC_LOCK_MS: String(lockMs),
});

test('with the default settings every call ends within 0.9 of the lock time', () => {
  const config = readConfig({});
  const callsMs = config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX;
  expect(callsMs / config.KEYFERRY_SYNC_LOCK_MS).toBeLessThanOrEqual(0.9);
});

test('settings that leave no margin to the lock time are refused with their names and the rule', () => {
  expect(readConfig(times(8_000, 1_000, 10_000))).toMatchObject({ KEYFERRY_SYNC_LOCK_MS: 10_000 });
  expect(readConfig(times(8_000, 1_001, 10_002))).toMatchObject({ KEYFERRY_SYNC_LOCK_MS: 10_002 });
  for (const tight of [times(8_001, 1_000, 10_000), times(20_000, 10_000, 30_000), { KEYFERRY_SYNC_LOCK_MS: '29999' }])
    expect(() => readConfig(tight)).toThrow(ConfigError);
  expect(() => readConfig(times(8_001, 1_000, 10_000))).toThrow(
    'KEYFERRY_SYNC_OPERATION_MS_MAX + KEYFERRY_SYNC_REQUEST_MS_MAX (9001) may be at most 0.9 of KEYFERRY_SYNC_LOCK_MS (10000), which is 9000',
  );
});
