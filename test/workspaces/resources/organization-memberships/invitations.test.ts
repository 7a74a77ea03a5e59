import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '#workspaces/frame/ids.ts';
import { documentOf, identifiers, relatedId } from '../../support/documents.ts';
import { type Answer, workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
const run = (query: ReturnType<typeof sql>) => query.execute(ground.service.store.db);

/** An organization with an owner, and a user of another organization. */
async function strangers() {
  const organization = await ground.organization();
  const owner = await ground.user(organization.id);
  await run(sql`
    insert into ws_team_members (team_id, user_id)
    select id, ${owner.id} from ws_teams where organization_id = ${organization.id} and owners`);
  const stranger = await ground.user((await ground.organization()).id);
  const name = `stranger-${newId('n')}`;
  await run(sql`update ws_users set username = ${name} where id = ${stranger.id}`);
  const team = await ground.team(organization.id);
  const own = (method: string, path: string, body?: object) => ground.call(method, path, body, owner.token);
  const add = (id: string) => own('POST', `/teams/${team.id}/relationships/users`, identifiers('users', id));
  const invite = (email: string, teams: readonly string[] = []) =>
    own(
      'POST',
      `/organizations/${organization.name}/organization-memberships`,
      documentOf('organization-memberships', { email }, { teams: teams.map((id) => ({ type: 'teams', id })) }),
    );
  return { organization, owner, stranger, name, team, own, add, invite };
}

/** An answer without the parts that differ by request: ids, times, and the sent texts. */
const shapeOf = ({ status, text }: Answer, ...sent: readonly string[]): string =>
  sent
    .reduce((all, one) => all.replaceAll(new RegExp(one, 'gi'), '<sent>'), `${status} ${text}`)
    .replaceAll(/(ou|user|team|org)-[1-9A-HJ-NP-Za-km-z]{16}/g, '$1-id')
    .replaceAll(/[0-9a-f]{32}/g, '<hash>')
    .replaceAll(/"created-at":"[^"]*"/g, '"created-at":""');

test('a user of another organization cannot be added to a team by name, and gets the same answer as an unknown name', async () => {
  const { stranger, name, organization, owner, add, own, team } = await strangers();
  const unknown = `stranger-${newId('n')}`;
  const [byName, byUnknown] = [await add(name), await add(unknown)];
  expect(byName.status).toBe(422);
  expect(shapeOf(byName, name)).toBe(shapeOf(byUnknown, unknown));
  const noUser = newId('user');
  expect(shapeOf(await add(stranger.id), stranger.id)).toBe(shapeOf(await add(noUser), noUser));
  expect((await own('GET', `/teams/${team.id}`)).item.attributes['users-count']).toBe(0);
  const members = await own('GET', `/organizations/${organization.name}/organization-memberships`);
  expect(members.items.map((item) => relatedId(item, 'user'))).toEqual([owner.id]);
  expect((await ground.call('GET', `/organizations/${organization.name}`, undefined, stranger.token)).status).toBe(404);
});

test('invitations of known and unknown addresses get the same answers everywhere', async () => {
  const { stranger, name, organization, own, invite, team, add } = await strangers();
  const [known, unknown] = [`${stranger.id}@b.test`, `${newId('user')}@b.test`];
  const [first, second] = [await invite(known, [team.id]), await invite(unknown, [team.id])];
  expect([first.status, first.item.attributes['status'], first.item.attributes['username']]).toEqual([
    ...[201, 'invited', null],
  ]);
  expect(shapeOf(first, known)).toBe(shapeOf(second, unknown));
  expect(first.text).not.toContain(name);
  const paths = (made: Answer, email: string): readonly string[] => [
    `/organization-memberships/${made.item.id}?include=user,teams`,
    `/users/${relatedId(made.item, 'user')}`,
    `/organizations/${organization.name}/organization-memberships?include=user&filter%5Bemail%5D=${email}`,
  ];
  const [ofFirst, ofSecond] = [paths(first, known), paths(second, unknown)];
  for (const [at, path] of ofFirst.entries()) {
    const [one, other] = [await own('GET', path), await own('GET', ofSecond[at] ?? '')];
    expect(shapeOf(one, known)).toBe(shapeOf(other, unknown));
  }
  const listed = await own('GET', `/teams/${team.id}?include=users,organization-memberships`);
  expect(listed.text).not.toContain(name);
  expect((await own('GET', `/organizations/${organization.name}/organization-memberships?q=${name}`)).items).toEqual(
    [],
  );
  expect((await add(name)).status).toBe(422);
});

test('an invited user has no access to the organization until it accepts, and then that of its teams', async () => {
  const { stranger, organization, invite, team } = await strangers();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  await ground.grant(team.id, { workspace: workspace.id }, 'admin');
  const made = await invite(`${stranger.id}@b.test`, [team.id]);
  const ask = async (path: string) => (await ground.call('GET', path, undefined, stranger.token)).status;
  const paths = [`/organizations/${organization.name}`, `/workspaces/${workspace.id}`, `/teams/${team.id}`];
  for (const path of paths) expect(await ask(path)).toBe(404);
  const organizations = await ground.call('GET', '/organizations', undefined, stranger.token);
  expect(organizations.items.map(({ id }) => id)).not.toContain(organization.name);
  const own = await ground.call('GET', '/organization-memberships', undefined, stranger.token);
  const found = own.items.find(({ id }) => id === made.item.id);
  expect([found?.attributes['status'], relatedId(found, 'organization')]).toEqual(['invited', organization.name]);
  expect(await ask(`/organization-memberships/${made.item.id}`)).toBe(200);
  const accept = () =>
    ground.call('POST', `/organization-memberships/${made.item.id}/actions/accept`, undefined, stranger.token);
  expect([(await accept()).status, (await accept()).status]).toEqual([200, 200]);
  for (const path of paths) expect(await ask(path)).toBe(200);
});

test('only the invited user can accept or decline an invitation', async () => {
  const { stranger, owner, invite, team, own } = await strangers();
  const made = await invite(`${stranger.id}@b.test`, [team.id]);
  const path = `/organization-memberships/${made.item.id}`;
  for (const token of [owner.token, team.token])
    expect((await ground.call('POST', `${path}/actions/accept`, undefined, token)).status).toBe(404);
  expect((await ground.call('DELETE', path, undefined, stranger.token)).status).toBe(204);
  expect((await ground.call('POST', `${path}/actions/accept`, undefined, stranger.token)).status).toBe(404);
  expect((await own('GET', `/teams/${team.id}`)).item.attributes['users-count']).toBe(0);
});

test('an owner that has not accepted does not count as the last owner', async () => {
  const { stranger, owner, invite, own, organization } = await strangers();
  const owners = (await own('GET', `/organizations/${organization.name}/teams?q=owners`)).items[0]?.id ?? '';
  const made = await invite(`${stranger.id}@b.test`, [owners]);
  const leave = () => own('DELETE', `/teams/${owners}/relationships/users`, identifiers('users', owner.id));
  expect((await leave()).status).toBe(422);
  await ground.call('POST', `/organization-memberships/${made.item.id}/actions/accept`, undefined, stranger.token);
  expect((await leave()).status).toBe(204);
});

test('the user of the root token belongs to no organization, not even to one that it creates', async () => {
  const { add } = await strangers();
  const unknown = `stranger-${newId('n')}`;
  expect(shapeOf(await add('root'), 'root')).toBe(shapeOf(await add(unknown), unknown));
  expect((await add('user-root')).status).toBe(422);
  const name = ground.service.name('made-by-root');
  const made = await ground.call('POST', '/organizations', documentOf('organizations', { name, email: 'a@b.test' }));
  expect(made.status).toBe(201);
  expect((await ground.call('GET', `/organizations/${name}/organization-memberships`)).items).toEqual([]);
  const owners = (await ground.call('GET', `/organizations/${name}/teams?q=owners`)).items[0];
  expect(owners?.attributes['users-count']).toBe(0);
});
