import { afterEach, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { fileDevice, linesOf, removeDevices, textOf } from '../../audit/log.ts';
import { as, mayGetTokens, roleOf, someone } from './setup.ts';

const service = serviceOf([]);
afterEach(() => removeDevices(service));

test('audit devices record who got a token and who asked about it, and the token as HMAC only', async () => {
  const caller = await someone(service, [await mayGetTokens(service)]);
  const role = await roleOf(service);
  const { file } = await fileDevice(service);
  const { data } = await service.ask('GET', `identity/oidc/token/${role}`, undefined, as(caller));
  const token = String(data['token']);
  expect((await service.ask('POST', 'identity/oidc/introspect', { token })).body).toEqual({ active: true });
  expect(await textOf(file)).not.toContain(token.slice(0, 20));
  const issued = (await linesOf(file)).filter(({ request }) => request['path'] === `identity/oidc/token/${role}`);
  expect(issued.map(({ type }) => type)).toEqual(['request', 'response']);
  expect(issued[1]).toMatchObject({
    auth: { entity_id: caller.entity },
    response: { data: { token: expect.stringMatching(/^hmac-sha256:/) } },
  });
});
