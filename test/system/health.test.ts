import { describe, expect, test } from 'vitest';
import type { Seal, SealState } from '#store/seal/contract.ts';
import { healthRow } from '#system/seal/health.ts';
import { sealRows } from '#system/seal/index.ts';
import { heldClock } from '../store/clocks.ts';
import { call } from './calling.ts';

/** A seal in a given state, which never queries the database. */
function sealIn(state: SealState): Seal {
  const unexpected = () => Promise.reject(new Error('not asked for'));
  return {
    state: () => state,
    status: () => ({
      state,
      type: 'shamir',
      shares: 5,
      threshold: 3,
      progress: 1,
      migration: false,
      nonce: 'n',
      clusterId: 'id',
      clusterName: 'name',
    }),
    init: unexpected,
    unseal: unexpected,
    resetUnseal: () => {
      throw new Error('not asked for');
    },
    sealNow: () => {},
    sealEverywhere: unexpected,
    lend: unexpected,
    rotate: unexpected,
    rotation: () => {
      throw new Error('not asked for');
    },
    configureRotation: unexpected,
    rotateIfDue: unexpected,
    rewrapIfDue: unexpected,
    keyStatus: () => {
      throw new Error('not asked for');
    },
    refresh: unexpected,
  };
}

const parts = (state: SealState, there = true) => ({
  seal: sealIn(state),
  reachable: async () => there,
  mintRootToken: async () => '',
  lent() {},
  clock: heldClock('2030-01-01T00:00:00.900Z'),
});

const health = (state: SealState, sent: Readonly<Record<string, string>> = {}, there = true) =>
  call([healthRow(parts(state, there))], 'read', 'health', sent);

describe('the status of sys/health', () => {
  test.each([
    ['ready', {}, 200],
    ['sealed', {}, 503],
    ['uninitialised', {}, 501],
    ['ready', { activecode: '204' }, 204],
    ['sealed', { sealedcode: '299' }, 299],
    ['uninitialised', { uninitcode: '299' }, 299],
    ['ready', { sealedcode: '299', uninitcode: '299', standbycode: '299' }, 200],
    ['ready', { standbyok: '', perfstandbyok: 'true' }, 200],
  ] as const)('%s with %o is %i', async (state, sent, status) => {
    expect((await health(state, sent))?.status).toBe(status);
  });

  test.each(['abc', '99', '100', '600', '2.5', ''])('a code of "%s" is refused', async (code) => {
    await expect(health('ready', { activecode: code })).rejects.toThrow();
  });
});

test('the body agrees with the status', async () => {
  expect((await health('ready'))?.body).toEqual({
    initialized: true,
    sealed: false,
    standby: false,
    performance_standby: false,
    replication_performance_mode: 'disabled',
    replication_dr_mode: 'disabled',
    server_time_utc: 1_893_456_000,
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    enterprise: false,
    cluster_name: 'name',
    cluster_id: 'id',
  });
  expect((await health('uninitialised'))?.body).not.toHaveProperty('cluster_id');
});

describe('while the database is unavailable', () => {
  test.each(['ready', 'sealed', 'uninitialised'] as const)(
    'health of %s is 503 whatever codes are requested',
    async (state) => {
      const codes = { activecode: '200', sealedcode: '200', uninitcode: '200' };
      const reply = await health(state, codes, false);
      expect(reply?.status).toBe(503);
      expect(reply?.body).toMatchObject({ initialized: state !== 'uninitialised', errors: [expect.any(String)] });
    },
  );

  test.each(['ready', 'sealed', 'uninitialised'] as const)('seal-status of %s comes from memory', async (state) => {
    const reply = await call(sealRows(parts(state, false)), 'read', 'seal-status');
    expect(reply?.body).toMatchObject({
      initialized: state !== 'uninitialised',
      sealed: state !== 'ready',
      progress: 1,
    });
  });
});
