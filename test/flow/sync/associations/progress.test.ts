import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statuses } from '#test/support/flow/associations.ts';
import { type SlowLine, startSlowLine } from '#test/support/flow/faults/slow-line.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'repo-host';
const service = serviceOf([type], { KEYFERRY_SYNC_OPERATION_MS_MAX: '2000', KEYFERRY_SYNC_ATTEMPTS_MAX: '3' });
/** Slow enough that a secret with many keys needs several rounds. */
const answerMs = 250;
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key_${at}`, String(at)]));
const many = 16;

let line: SlowLine;
beforeAll(async () => {
  line = await startSlowLine(service.fake(type), answerMs);
});
afterAll(() => line.close());

describe('a secret with many keys', () => {
  test('is pushed in rounds, each continuing where the last one stopped', async () => {
    const destinationName = await service.destination(type, line.destination);
    const secret = await service.secret(keys(many));
    const before = puts();
    await service.set(type, destinationName, secret);
    await service.untilQuiet();
    const records = await service.associations(type, destinationName);
    expect(statuses(records).filter((status) => status === 'SYNCED')).toHaveLength(many);
    expect(puts() - before).toBe(many);
  });

  test('is pushed completely except for a refused key', async () => {
    const destinationName = await service.destination(type, line.destination);
    const secret = await service.secret({ ...keys(many), large: 'x'.repeat(60_000) });
    await service.set(type, destinationName, secret);
    await service.untilQuiet();
    const shown = statuses(await service.associations(type, destinationName)).toSorted();
    expect(shown).toEqual(['CLIENT_SIDE_ERROR', ...Array.from({ length: many }, () => 'SYNCED')]);
  });

  test('is pushed again once after a repeated set, and no key twice', async () => {
    const destinationName = await service.destination(type, line.destination);
    const secret = await service.secret(keys(many));
    await service.set(type, destinationName, secret);
    await service.untilQuiet();
    const before = puts();
    await service.set(type, destinationName, secret);
    await service.untilQuiet();
    expect(puts() - before).toBe(many);
  });

  test('is not tried key by key when the destination refuses access', async () => {
    const destinationName = await service.destination(type, line.destination);
    const secret = await service.secret(keys(many));
    service.fake(type).fail({ kind: 'credentials' });
    const before = service.calls(type);
    const records = await service.set(type, destinationName, secret);
    expect(statuses(records).filter((status) => status === 'CLIENT_SIDE_ERROR')).toHaveLength(many);
    expect(service.calls(type) - before).toBeLessThan(10);
  });
});

const puts = () => service.calls(type, 'put-secret');
