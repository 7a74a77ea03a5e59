import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { otherProcessOf } from '../../support/flow/other-process.ts';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const other = otherProcessOf(ground.service);
const { call } = { call: (...of: Parameters<typeof ground.call>) => ground.call(...of) };
const tokenBody = (attributes: object = {}) => documentOf('authentication-tokens', attributes);
const textOf = (item: { attributes: Readonly<Record<string, unknown>> }) => String(item.attributes['token']);
const identify = async (token: string, at = ground.service.address) =>
  (await call('GET', `${at}/api/v2/account/details`, undefined, token)).status;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test('a user creates its own tokens, which are shown once', async () => {
  const { id } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const path = `/users/${ada.id}/authentication-tokens`;
  const expiry = inAnHour();
  const made = await call('POST', path, tokenBody({ description: 'laptop', 'expired-at': expiry }), ada.token);
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'authentication-tokens',
    attributes: { description: 'laptop', 'expired-at': expiry, 'last-used-at': null },
    relationships: { 'created-by': { data: { id: ada.id, type: 'users' } } },
  });
  expect(await identify(textOf(made.item))).toBe(200);
  const shown = await call('GET', `/authentication-tokens/${made.item.id}`, undefined, ada.token);
  expect(shown.item.attributes).toMatchObject({ description: 'laptop', token: null });
  expect(shown.item.attributes['last-used-at']).not.toBeNull();
  const listed = await call('GET', path, undefined, ada.token);
  expect(listed.items).toHaveLength(2);
  expect(listed.text).not.toContain(textOf(made.item));
  for (const [method, at] of [
    ['GET', path],
    ['POST', path],
    ['DELETE', `/authentication-tokens/${made.item.id}`],
  ] as const)
    expect((await call(method, at, method === 'GET' ? undefined : tokenBody(), bob.token)).status).toBe(404);
  for (const bad of [{ 'expired-at': 'tomorrow' }, { 'expired-at': '2020-01-01T00:00:00Z' }, { description: 7 }])
    expect((await call('POST', path, tokenBody(bad), ada.token)).status).toBe(422);
  expect((await call('DELETE', `/authentication-tokens/${made.item.id}`, undefined, ada.token)).status).toBe(204);
  expect(await identify(textOf(made.item))).toBe(401);
  expect(await identify(textOf(made.item), other.address)).toBe(401);
});

test('creating the token of a team or an organization again invalidates the present one', async () => {
  const { id, name } = await ground.organization();
  const owner = await ground.team(id, { owners: true });
  const plain = await ground.team(id);
  const target = await ground.team(id);
  for (const path of [`/teams/${target.id}/authentication-token`, `/organizations/${name}/authentication-token`]) {
    expect((await call('POST', path, null, owner.token)).status).toBe(201);
    const first = await call('POST', path, undefined, owner.token);
    const second = await call('POST', path, tokenBody({ 'expired-at': inAnHour() }), owner.token);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await Promise.all([first, second].map(({ item }) => identify(textOf(item))))).toEqual([401, 200]);
    const shown = await call('GET', path, undefined, owner.token);
    expect(shown.item).toMatchObject({ id: second.item.id, attributes: { token: null } });
    expect((await call('GET', path, undefined, plain.token)).status).toBe(404);
    const many = await Promise.all(Array.from({ length: 6 }, () => call('POST', path, undefined, owner.token)));
    const works = await Promise.all(many.map(({ item }) => identify(textOf(item))));
    expect(works.filter((status) => status === 200)).toHaveLength(1);
    expect((await call('DELETE', path, undefined, owner.token)).status).toBe(204);
    expect((await call('DELETE', path, undefined, owner.token)).status).toBe(404);
    expect((await call('GET', path, undefined, owner.token)).status).toBe(404);
  }
});

test('a team may have several tokens with different descriptions', async () => {
  const { id, name } = await ground.organization();
  const member = await ground.user(id);
  const team = await ground.team(id, { members: [member.id] });
  const path = `/teams/${team.id}/authentication-tokens`;
  const make = (description?: string) => call('POST', path, tokenBody({ description }), member.token);
  const made = await make('pipeline');
  expect(made.item.relationships['team']).toEqual({ data: { id: team.id, type: 'teams' } });
  expect((await make('pipeline')).errors[0]?.detail).toBe('Description has already been taken');
  expect((await make()).status).toBe(422);
  expect((await call('GET', path, undefined, member.token)).items).toHaveLength(2);
  expect((await call('GET', `/organizations/${name}/team-tokens`)).items.map((item) => item.id)).toContain(
    made.item.id,
  );
  const other = await ground.team(id, { members: [member.id] });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const sole = await call('POST', `/teams/${other.id}/authentication-token`, tokenBody({ 'expired-at': soon }));
  expect(sole.item.attributes['description']).toBeNull();
  const { items: teams } = await call('GET', `/organizations/${name}/teams`);
  const otherName = String(teams.find((one) => one.id === other.id)?.attributes['name']);
  const listed = async (query: string) =>
    (await call('GET', `/organizations/${name}/team-tokens?${query}`)).items.map((item) => item.id);
  expect(await listed(`q=${otherName}`)).toContain(sole.item.id);
  expect(await listed(`q=${otherName}`)).not.toContain(made.item.id);
  expect((await listed('sort=expired-at'))[0]).toBe(sole.item.id);
  expect((await listed('sort=-expired-at'))[0]).toBe(made.item.id);
  expect((await call('GET', `/organizations/${name}/team-tokens?sort=hash`)).status).toBe(400);
  const quiet = documentOf('teams', { 'allow-member-token-management': false });
  expect((await call('PATCH', `/teams/${team.id}`, quiet)).status).toBe(200);
  expect((await make('another')).status).toBe(404);
  expect((await call('DELETE', `/authentication-tokens/${made.item.id}`)).status).toBe(204);
  expect(await identify(textOf(made.item))).toBe(401);
});

test('a token expires, and the sweep deletes it', async () => {
  const { id } = await ground.organization();
  const ada = await ground.user(id);
  const { db } = ground.service.store;
  await sql`update ws_tokens set expire_at = now() + interval '1 hour' where user_id = ${ada.id}`.execute(db);
  expect(await identify(ada.token)).toBe(200);
  await sql`update ws_tokens set expire_at = now() where user_id = ${ada.id}`.execute(db);
  expect(await identify(ada.token)).toBe(401);
  await ground.service.sweep();
  const { rows } = await sql`select 1 from ws_tokens where user_id = ${ada.id}`.execute(db);
  expect(rows).toEqual([]);
});

test('the last use of a token is recorded, but not for every request', async () => {
  const { id } = await ground.organization();
  const ada = await ground.user(id);
  const { db } = ground.service.store;
  const lastUse = async () => {
    const { rows } = await sql<{ used: Date | null; version: string }>`
      select last_used_at as used, xmin::text as version from ws_tokens where user_id = ${ada.id}`.execute(db);
    return rows[0];
  };
  const first = await lastUse();
  expect(first?.used).toBeNull();
  await Promise.all(Array.from({ length: 10 }, () => identify(ada.token)));
  const second = await lastUse();
  expect(second?.used).not.toBeNull();
  await Promise.all(Array.from({ length: 10 }, () => identify(ada.token)));
  expect(await lastUse()).toEqual(second);
  await sql`update ws_tokens set last_used_at = now() - interval '61 seconds' where user_id = ${ada.id}`.execute(db);
  await identify(ada.token);
  expect((await lastUse())?.used?.getTime()).toBeGreaterThanOrEqual(second?.used?.getTime() ?? 0);
});

test('readers of the database cannot use a token', async () => {
  const { id } = await ground.organization();
  const ada = await ground.user(id);
  const { rows } = await sql<{
    text: string;
  }>`select t::text as text from ws_tokens t where user_id = ${ada.id}`.execute(ground.service.store.db);
  expect(rows[0]?.text).not.toContain(ada.token.split('.').at(-1));
});

test('the tokens of a team are deleted with it', async () => {
  const { id } = await ground.organization();
  const team = await ground.team(id);
  expect(await identify(team.token)).toBe(200);
  expect((await call('DELETE', `/teams/${team.id}`)).status).toBe(204);
  expect(await Promise.all([identify(team.token), identify(team.token, other.address)])).toEqual([401, 401]);
});

test('a token without an expiry expires after two years', async () => {
  const { id, name } = await ground.organization();
  const ada = await ground.user(id);
  const team = await ground.team(id);
  const paths = [
    `/users/${ada.id}/authentication-tokens`,
    `/teams/${team.id}/authentication-token`,
    `/organizations/${name}/authentication-token`,
    `/organizations/${name}/authentication-token?token=audit-trails`,
  ];
  for (const path of paths) {
    const [made, withNull] = [
      await call('POST', path, tokenBody()),
      await call('POST', path, tokenBody({ 'expired-at': null })),
    ];
    for (const { item } of [made, withNull]) {
      const [from, to] = [item.attributes['created-at'], item.attributes['expired-at']].map(
        (time) => new Date(String(time)),
      );
      expect(to?.getUTCFullYear(), path).toBe((from?.getUTCFullYear() ?? 0) + 2);
    }
  }
});

test('the token of the audit trail is a separate token that can do nothing else', async () => {
  const { id, name, projectId } = await ground.organization();
  const ada = await ground.user(id);
  const { id: workspaceId } = await ground.workspace(id, projectId);
  const path = `/organizations/${name}/authentication-token`;
  const plain = await call('POST', path, tokenBody());
  const [former, audit] = [
    await call('POST', `${path}?token=audit-trails`, tokenBody()),
    await call('POST', `${path}?token=audit-trails`, tokenBody()),
  ];
  expect(audit.status).toBe(201);
  expect((await call('GET', path)).item.id).toBe(plain.item.id);
  expect((await call('GET', `${path}?token=audit-trails`)).item.id).toBe(audit.item.id);
  expect((await call('GET', `${path}?token=pets`)).status).toBe(400);
  expect(await identify(textOf(former.item))).toBe(401);
  expect((await call('GET', `/organizations/${name}`, undefined, textOf(plain.item))).status).toBe(200);
  const reached = [
    ...[
      '/account/details',
      '/organizations',
      `/organizations/${name}`,
      `/users/${ada.id}`,
      `/workspaces/${workspaceId}`,
    ],
    ...[`/organizations/${name}/workspaces`, `/authentication-tokens/${audit.item.id}`, path],
  ];
  for (const one of reached) expect((await call('GET', one, undefined, textOf(audit.item))).status, one).toBe(404);
  expect((await call('POST', path, tokenBody(), textOf(audit.item))).status).toBe(404);
  expect((await call('DELETE', `${path}?token=audit-trails`)).status).toBe(204);
  expect((await call('GET', `${path}?token=audit-trails`)).status).toBe(404);
  expect((await call('GET', path)).status).toBe(200);
});
