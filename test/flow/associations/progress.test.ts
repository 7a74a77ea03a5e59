import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statuses } from '../../support/flow/associations.ts';
import { stageOf } from '../../support/flow/open-service.ts';
import { type SlowLine, startSlowLine } from '../../support/flow/slow-line.ts';

const type = 'repo-host';
const stage = stageOf([type], { KEYFERRY_SYNC_OPERATION_MS_MAX: '2000', KEYFERRY_SYNC_ATTEMPTS_MAX: '3' });
/** So slow that a secret with many keys needs several rounds. */
const answerMs = 250;
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key_${at}`, String(at)]));
const many = 16;

let line: SlowLine;
beforeAll(async () => {
  line = await startSlowLine(stage.fake(type), answerMs);
});
afterAll(() => line.close());

describe('a secret with many keys', () => {
  test('is brought there in rounds, each going on where the last one stopped', async () => {
    const place = await stage.destination(type, line.destination);
    const secret = await stage.secret(keys(many));
    const before = puts();
    await stage.set(type, place, secret);
    await stage.untilQuiet();
    const records = await stage.associations(type, place);
    expect(statuses(records).filter((status) => status === 'SYNCED')).toHaveLength(many);
    expect(puts() - before).toBe(many);
  });

  test('is brought there as a whole but for the key that is refused', async () => {
    const place = await stage.destination(type, line.destination);
    const secret = await stage.secret({ ...keys(many), large: 'x'.repeat(60_000) });
    await stage.set(type, place, secret);
    await stage.untilQuiet();
    const shown = statuses(await stage.associations(type, place)).toSorted();
    expect(shown).toEqual(['CLIENT_SIDE_ERROR', ...Array.from({ length: many }, () => 'SYNCED')]);
  });

  test('set again is pushed afresh once, and no key twice', async () => {
    const place = await stage.destination(type, line.destination);
    const secret = await stage.secret(keys(many));
    await stage.set(type, place, secret);
    await stage.untilQuiet();
    const before = puts();
    await stage.set(type, place, secret);
    await stage.untilQuiet();
    expect(puts() - before).toBe(many);
  });

  test('is not tried key by key when the destination turns us away', async () => {
    const place = await stage.destination(type, line.destination);
    const secret = await stage.secret(keys(many));
    stage.fake(type).fail({ kind: 'credentials' });
    const before = stage.calls(type);
    const records = await stage.set(type, place, secret);
    expect(statuses(records).filter((status) => status === 'CLIENT_SIDE_ERROR')).toHaveLength(many);
    expect(stage.calls(type) - before).toBeLessThan(10);
  });
});

const puts = () => stage.calls(type, 'put-secret');
