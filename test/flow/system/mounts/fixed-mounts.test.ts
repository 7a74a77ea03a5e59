import { describe, expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);

const tuning = 'sys/mounts/auth/token/tune';
const newToken = async (address: string) => {
  const { body } = await ask({
    address,
    token: service.rootToken,
    method: 'POST',
    path: 'auth/token/create',
    body: { policies: ['default'] },
  });
  const { lease_duration, token_type } = Object(body['auth']);
  return { lease_duration, token_type };
};

describe('built-in mounts', () => {
  test('can be tuned, which applies to every process and changes nothing else', async () => {
    const before = (await service.ask('GET', 'sys/mounts')).data;
    const change = { default_lease_ttl: '2h', max_lease_ttl: '4h', description: 'own' };
    expect((await service.ask('POST', tuning, change)).status).toBe(204);
    for (const { address } of [service, other]) {
      expect(await newToken(address)).toEqual({ lease_duration: 7_200, token_type: 'service' });
    }
    expect((await service.ask('GET', tuning)).data).toMatchObject({
      default_lease_ttl: 7_200,
      max_lease_ttl: 14_400,
      description: 'own',
    });
    expect((await service.ask('POST', tuning, { token_type: 'default-batch' })).status).toBe(204);
    expect(await newToken(other.address)).toEqual({ lease_duration: 7_200, token_type: 'batch' });
    const back = { default_lease_ttl: 'system', max_lease_ttl: 'system', token_type: 'default-service' };
    expect((await service.ask('POST', tuning, back)).status).toBe(204);
    expect(await newToken(other.address)).toEqual({ lease_duration: 2_764_800, token_type: 'service' });
    expect((await service.ask('GET', 'sys/mounts')).data).toEqual(before);
  });

  test('are tuned by a hundred concurrent requests, none of which is lost or refused', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        ask({
          address: at % 2 === 0 ? service.address : other.address,
          token: service.rootToken,
          method: 'POST',
          path: 'sys/mounts/cubbyhole/tune',
          body: { description: `by ${at}` },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    const { accessor, description } = Object((await service.ask('GET', 'sys/mounts')).data['cubbyhole/']);
    expect([accessor, description]).toEqual([expect.stringMatching(/^cubbyhole_/), expect.stringMatching(/^by /)]);
  });

  test.each([
    ['DELETE', 'sys/mounts/cubbyhole', undefined],
    ['DELETE', 'sys/mounts/auth/token', undefined],
    ['POST', 'sys/remount', { from: 'cubbyhole', to: 'elsewhere' }],
    ['POST', 'sys/mounts/cubbyhole', { type: 'kv' }],
    ['POST', 'sys/mounts/secret/tune', { token_type: 'batch' }],
    ['POST', tuning, { token_type: 'other' }],
    ['POST', tuning, { default_lease_ttl: '5h', max_lease_ttl: '4h' }],
  ])('%s %s %j is refused', async (method, path, body) => {
    expect((await service.ask(method, path, body)).status).toBe(400);
  });
});
