import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inScope, silentLog } from '#core/log/log.ts';
import { openLog } from '#core/log/open.ts';

function keptLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { lines, log: openLog({ KEYFERRY_LOG_LEVEL: 'info' }, destination) };
}

test('every line of a scope has its fields, even after a wait, and lines outside do not', async () => {
  const { log, lines } = keptLog();
  const work = async (id: string) => {
    await turn();
    log.info({ step: 1 }, 'inside');
    await inScope(log, { type: 'a' }, async () => log.warn({}, `deeper ${id}`));
  };
  await Promise.all(['r1', 'r2'].map((id) => inScope(log, { request_id: id }, () => work(id))));
  log.info({}, 'outside');
  const seen = lines.map(({ msg, request_id, type, step }) => ({ msg, request_id, type, step }));
  expect(seen).toContainEqual({ msg: 'inside', request_id: 'r1', type: undefined, step: 1 });
  expect(seen).toContainEqual({ msg: 'deeper r2', request_id: 'r2', type: 'a', step: undefined });
  expect(seen).toContainEqual({ msg: 'outside', request_id: undefined, type: undefined, step: undefined });
});

test('a log without scopes still runs the work', () => {
  expect(inScope(silentLog, { request_id: 'r' }, () => 7)).toBe(7);
});
