import { expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([], { KEYFERRY_REQUIRE_REQUEST_HEADER: 'true' });

test('a listener that requires the request header refuses every request without it', async () => {
  for (const [name, value, status] of [
    ['x-none', 'true', 412],
    ['x-vault-request', 'false', 412],
    ['x-vault-request', 'true', 200],
    ['x-service-request', 'true', 200],
  ] as const) {
    const answer = await service.ask('GET', 'sys/mounts', undefined, { headers: { [name]: value } });
    expect([name, value, answer.status]).toEqual([name, value, status]);
    if (status === 412) expect(answer.errors.join()).toContain('X-Vault-Request');
  }
});
