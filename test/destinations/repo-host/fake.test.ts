import sodium from 'libsodium-wrappers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RepoHostFake, startFake } from '#destinations/repo-host/fake/index.ts';

let fake: RepoHostFake;

beforeEach(async () => {
  fake = await startFake();
});

afterEach(async () => {
  await fake.close();
});

const secrets = '/repos/acme/app/actions/secrets';

async function ask(method: string, path: string, body?: object, token = fake.destination['access_token']) {
  const headers = { authorization: `Bearer ${String(token)}` };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${fake.url}${path}`, init);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

async function sealed(value: string) {
  const { body } = await ask('GET', `${secrets}/public-key`);
  const box = sodium.crypto_box_seal(Buffer.from(value), Buffer.from(body.key, 'base64'));
  return { key_id: body.key_id, encrypted_value: Buffer.from(box).toString('base64') };
}

describe('the stand-in host', () => {
  it('creates with 201, updates with 204, and shows times but no value', async () => {
    expect((await ask('PUT', `${secrets}/token`, await sealed('one'))).status).toBe(201);
    expect((await ask('PUT', `${secrets}/TOKEN`, await sealed('two'))).status).toBe(204);
    const { body, headers } = await ask('GET', `${secrets}/Token`);
    expect(Object.keys(body)).toEqual(['name', 'created_at', 'updated_at']);
    expect(body.name).toBe('TOKEN');
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
    expect(fake.objects().get('TOKEN')).toEqual({ value: 'two', tags: {} });
  });

  it('lists in pages', async () => {
    for (const name of ['A', 'B', 'C']) fake.seed(name, 'v');
    const { body } = await ask('GET', `${secrets}?per_page=2&page=2`);
    expect(body).toMatchObject({ total_count: 3, secrets: [{ name: 'C' }] });
  });

  it('refuses wrong tokens in the form of the host', async () => {
    const { status, body } = await ask('GET', secrets, undefined, 'ghp_wrong');
    expect(status).toBe(401);
    expect(body).toMatchObject({ message: 'Bad credentials', status: '401' });
  });

  it('refuses a replaced key, a broken box, a missing key id, reserved and malformed names, and large values', async () => {
    const good = await sealed('v');
    const messages = await Promise.all(
      [
        ask('PUT', `${secrets}/A`, { ...good, key_id: '1' }),
        ask('PUT', `${secrets}/A`, { ...good, encrypted_value: 'AAAA' }),
        ask('PUT', `${secrets}/A`, { encrypted_value: good.encrypted_value }),
        ask('PUT', `${secrets}/A`, { ...good, encrypted_value: 'no base64!' }),
        ask('PUT', `${secrets}/GITHUB_A`, good),
        ask('PUT', `${secrets}/1A`, good),
        ask('PUT', `${secrets}/A`, await sealed('x'.repeat(48 * 1024 + 1))),
      ].map(async (answer) => {
        const { status, body } = await answer;
        expect(status).toBe(422);
        return body.message;
      }),
    );
    expect(new Set(messages).size).toBe(messages.length);
    expect(fake.objects().size).toBe(0);
  });

  it('requires the visibility of an organization secret, and repositories of the organization', async () => {
    const { body: key } = await ask('GET', '/orgs/acme/actions/secrets/public-key');
    const box = sodium.crypto_box_seal(Buffer.from('v'), Buffer.from(key.key, 'base64'));
    const good = { key_id: key.key_id, encrypted_value: Buffer.from(box).toString('base64') };
    const path = '/orgs/acme/actions/secrets/A';
    expect((await ask('PUT', path, good)).status).toBe(422);
    expect((await ask('PUT', path, { ...good, visibility: 'selected', selected_repository_ids: [9] })).status).toBe(
      422,
    );
    expect((await ask('PUT', path, { ...good, visibility: 'selected', selected_repository_ids: [1002] })).status).toBe(
      201,
    );
    const { body } = await ask('GET', `${path}/repositories`);
    expect(body).toMatchObject({ total_count: 1, repositories: [{ id: 1002, name: 'site' }] });
  });

  it('accepts only signatures of its app for requests of the app itself', async () => {
    expect((await ask('GET', '/app')).status).toBe(401);
    expect((await ask('POST', '/app/installations/314159/access_tokens', {})).status).toBe(401);
  });

  it('answers 404 for unknown paths', async () => {
    expect((await ask('GET', '/nothing/here')).status).toBe(404);
    expect((await ask('GET', '/repos/acme/ghost')).status).toBe(404);
  });

  it('can be started twice and closed while a call hangs', async () => {
    const other = await startFake();
    expect(other.url).not.toBe(fake.url);
    other.fail({ kind: 'hang' });
    const hanging = fetch(`${other.url}${secrets}`).catch(() => 'ended');
    while (other.calls().size === 0) await new Promise((resolve) => setImmediate(resolve));
    await other.close();
    expect(await hanging).toBe('ended');
  });
});
