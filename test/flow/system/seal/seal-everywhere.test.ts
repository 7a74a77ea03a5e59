import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { shamirService } from '#test/support/flow/shamir.ts';

const isSealed = async (service: ReturnType<typeof shamirService>, process: number) =>
  (await service.ask(process, 'GET', 'sys/seal-status')).body['sealed'] === true;

describe('sys/seal at one process', () => {
  const service = shamirService();

  test('seals the others too, and each must be unsealed by shares again', async () => {
    expect((await service.ask(0, 'PUT', 'sys/seal', {}, service.rootToken)).status).toBe(204);
    expect(await isSealed(service, 0)).toBe(true);
    await eventually(() => isSealed(service, 1));
    expect((await service.ask(1, 'GET', 'secret/a', undefined, service.rootToken)).status).toBe(503);
    await service.unseal();
    for (const process of [0, 1]) {
      expect((await service.ask(process, 'GET', 'auth/token/lookup-self', undefined, service.rootToken)).status).toBe(
        200,
      );
    }
    // Both have read the row again since then, and stay unsealed.
    await service.ask(0, 'PUT', 'sys/rotate', {}, service.rootToken);
    await eventually(
      async () => (await service.ask(1, 'GET', 'sys/key-status', undefined, service.rootToken)).data['term'] === 2,
    );
    expect(await isSealed(service, 1)).toBe(false);
  });
});

describe('with the automatic seal', () => {
  const service = shamirService(
    { KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex') },
    { recovery_shares: 1, recovery_threshold: 1 },
  );

  test('processes stay sealed, and unseal themselves when they are restarted', async () => {
    for (const process of [0, 1]) await eventually(async () => !(await isSealed(service, process)));
    expect((await service.ask(1, 'PUT', 'sys/seal', {}, service.rootToken)).status).toBe(204);
    await eventually(() => isSealed(service, 0));
    expect(await isSealed(service, 1)).toBe(true);
    expect((await service.ask(0, 'PUT', 'sys/unseal', { key: service.keys[0] })).status).toBe(400);
    await service.restart();
    for (const process of [0, 1]) expect(await isSealed(service, process)).toBe(false);
  });
});
