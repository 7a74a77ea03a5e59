import { describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import type { Exchange, Outcome } from '#http/v1/exchange.ts';
import { type Stage, stageOrder } from '#http/v1/stage.ts';
import { ask, reader, root } from '../ask.ts';
import { fakeGatekeeper, sampleParts } from '../sample.ts';

test('the order of the stages', () => {
  expect(stageOrder).toEqual({
    before: ['address', 'authenticate', 'authorise', 'audit-request', 'run'],
    after: ['lease', 'wrap', 'audit-reply'],
  });
});

/** A stage of each name, in an arbitrary order, and the names in the order in which a request passed them. */
function watched() {
  const seen: string[] = [];
  const before = stageOrder.before.map((at): Stage => ({ at, before: () => void seen.push(at) }));
  const after = stageOrder.after.map(
    (at): Stage => ({
      at,
      after: (_exchange, outcome) => {
        seen.push('error' in outcome ? `${at}: refused` : at);
        return outcome;
      },
    }),
  );
  return { seen, stages: [...after, ...before].reverse() };
}

const refused = stageOrder.after.map((at) => `${at}: refused`);

test('a request passes the stages in their order, whatever order they are given in', async () => {
  const { seen, stages } = watched();
  expect((await ask('GET', '/v1/sys/flat', {}, sampleParts({ stages }))).status).toBe(200);
  expect(seen).toEqual([...stageOrder.before, ...stageOrder.after]);
});

test.each([
  ['without a token', '/v1/sys/flat', {}, ['address', ...refused]],
  ['without permission', '/v1/secret/a', reader, ['address', 'authenticate', ...refused]],
  ['for an unknown path', '/v1/nowhere', root, ['address', 'authenticate', 'authorise', 'audit-request', ...refused]],
  ['that is malformed', '/v1/%zz', root, []],
])(
  'a request %s ends there, and the later stages see the refusal unless the request was malformed',
  async (_what, url, headers, expected) => {
    const { seen, stages } = watched();
    await ask('GET', url, { headers }, sampleParts({ stages }));
    expect(seen).toEqual(expected);
  },
);

test('a large body is read after its sender is known', async () => {
  const { seen, stages } = watched();
  const data: number[] = [];
  const measure = (exchange: Exchange) => void data.push(Object.keys(exchange.data).length);
  const parts = sampleParts({
    stages: [...stages, { at: 'authenticate', before: measure }, { at: 'authorise', before: measure }],
  });
  const payload = JSON.stringify({ value: 'x'.repeat(100_000) });
  expect((await ask('POST', '/v1/secret/a', { payload }, parts)).status).toBe(204);
  expect(seen).toEqual([...stageOrder.before, ...stageOrder.after]);
  expect(data).toEqual([0, 1]);
});

describe('a stage', () => {
  const blocking: Stage = {
    at: 'audit-request',
    before: () => Promise.reject(new AppError('unavailable', 'no device has recorded it')),
  };

  test('blocks a request before its handler runs', async () => {
    const parts = sampleParts({ stages: [blocking] });
    const reply = await ask('POST', '/v1/secret/a', { payload: '{"a":1}' }, parts);
    expect(reply).toMatchObject({ status: 503, body: '{"errors":["no device has recorded it"]}' });
    const open = sampleParts({ engines: parts.engines });
    expect((await ask('GET', '/v1/secret/a', {}, open)).status).toBe(404);
    await ask('POST', '/v1/secret/a', { payload: '{"a":1}' }, open);
    expect((await ask('GET', '/v1/secret/a', {}, open)).status).toBe(200);
  });

  const later = (at: 'lease' | 'audit-reply', change: (outcome: Outcome) => Outcome): Stage => ({
    at,
    after: (_exchange, outcome) => change(outcome),
  });

  test('changes a reply', async () => {
    const stages = [later('lease', () => ({ reply: { data: { changed: true } } }))];
    expect((await ask('GET', '/v1/sys/flat', {}, sampleParts({ stages }))).json().data).toEqual({ changed: true });
  });

  test('that fails after the handler withholds the reply, and the later ones see the error', async () => {
    const outcomes: Outcome[] = [];
    const error = new AppError('unavailable', 'it cannot be leased');
    const stages = [
      later('lease', () => {
        throw error;
      }),
      later('audit-reply', (outcome) => {
        outcomes.push(outcome);
        return outcome;
      }),
    ];
    const reply = await ask('GET', '/v1/sys/flat', {}, sampleParts({ stages }));
    expect(reply).toMatchObject({ status: 503, body: '{"errors":["it cannot be leased"]}' });
    expect(outcomes).toEqual([{ error }]);
  });

  test('knows the caller, the connection and the decision', async () => {
    const known: unknown[] = [];
    const stages: Stage[] = [
      {
        at: 'audit-reply',
        after: ({ caller, decision, context }, outcome) => {
          known.push([caller?.accessor, decision, context?.connection.remoteAddress]);
          return outcome;
        },
      },
    ];
    await ask('GET', '/v1/secret/a', { headers: reader }, sampleParts({ stages }));
    await ask('GET', '/v1/sys/flat', { headers: reader }, sampleParts({ stages }));
    expect(known).toEqual([
      ['reader', { allowed: false, why: 'the reader may not' }, '127.0.0.1'],
      ['reader', { allowed: true, sudo: false, mfaMethods: [], grantedBy: [] }, '127.0.0.1'],
    ]);
  });

  test('that never finishes ends with the time limit of the request', async () => {
    const stages: Stage[] = [{ at: 'audit-reply', after: () => new Promise(() => {}) }];
    const reply = await ask('GET', '/v1/sys/flat', {}, sampleParts({ stages, requestTimeoutMs: 50 }));
    expect(reply).toMatchObject({ status: 503, body: '{"errors":["the request took too long"]}' });
  });
});

test('with a stage that wraps, policies see that a wrapped reply was requested', async () => {
  const gatekeeper = fakeGatekeeper();
  const stages: Stage[] = [{ at: 'wrap', after: (_exchange, outcome) => outcome }];
  const parts = sampleParts({ gatekeeper, stages });
  const wrapping = async (name: string, value: string) => {
    const reply = await ask(
      'POST',
      '/v1/secret/a',
      { headers: { ...root, [name]: value }, payload: '{"k":"v"}' },
      parts,
    );
    expect(reply.status).toBe(204);
    return gatekeeper.needs.at(-1);
  };
  expect(await wrapping('x-vault-wrap-ttl', '60')).toMatchObject({ wrapSeconds: 60 });
  expect(gatekeeper.needs.at(-1)?.parameters().members).toMatchObject([{ keys: ['k'], sent: 'v' }]);
  expect(await wrapping('x-service-wrap-ttl', '1h')).toMatchObject({ wrapSeconds: 3_600 });
  expect(await wrapping('x-service-wrap-ttl', '0')).toMatchObject({ wrapSeconds: undefined });
});
