import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';
import { type CallerKind, callerKinds, callers, newPlace } from './callers.ts';

const ground = workspaceGround();

const read = ['can-read-run', 'can-read-variable', 'can-read-state-versions', 'can-read-state-outputs'];
const seen = ['can-read-settings', 'can-read-assessment-results'];
const plan = ['can-queue-run'];
const locking = ['can-lock', 'can-unlock'];
const writes = ['can-update-variable', ...locking];
const applies = ['can-queue-apply', 'can-queue-destroy', 'can-queue-destroy-plan', 'can-create-state-versions'];
const settings = ['can-update', 'can-destroy', 'can-force-unlock', 'can-manage-tags', 'can-manage-run-tasks'];
const more = ['can-manage-assessments', 'can-manage-ephemeral-workspaces'];

const reader = [...read, ...seen];
const writer = [...reader, ...plan, ...writes, ...applies];
const administrator = [...writer, ...settings, ...more];
const owner = [...administrator, 'can-force-delete'];

/** Undefined for callers that may not read the workspace. */
const expected: Readonly<Record<CallerKind, readonly string[] | undefined>> = {
  'the administrator of the site': owner,
  'a user of the owners': owner,
  'the token of the organization': [...reader, ...writes, ...settings, ...more],
  'a user with manage-projects': administrator,
  'a user with manage-workspaces': administrator,
  'a user with read-workspaces': reader,
  'a user with read-projects': reader,
  'a user with admin on the workspace': administrator,
  'a user with write on the workspace': writer,
  'a user with plan on the workspace': [...reader, ...plan],
  'a user with read on the workspace': reader,
  'a team with custom access': [
    ...['can-read-run', 'can-read-variable', 'can-update-variable', 'can-read-state-outputs', ...seen],
    ...[...locking, 'can-manage-run-tasks'],
  ],
  'a team with admin on both projects': administrator,
  'a team with admin on the project': administrator,
  'a team with maintain on the project': administrator,
  'a team with read and delete on the project': [...reader, 'can-destroy'],
  'a team with write on the project': writer,
  'a team with read on the project': reader,
  'a member without teams': undefined,
  'a team of another organization': undefined,
  'the token of another organization': undefined,
};

const held = (permissions: unknown): readonly string[] =>
  Object.entries(permissions ?? {}).flatMap(([name, value]) => (value === true ? [name] : []));

test.each(callerKinds)('%s gets its permissions in the document and in the list', async (kind) => {
  const place = await newPlace(ground);
  const token = await callers[kind](ground, place);
  const shown = await ground.call('GET', `/workspaces/${place.workspace.id}`, undefined, token);
  const flags = expected[kind];
  expect(shown.status).toBe(flags === undefined ? 404 : 200);
  if (flags === undefined) return;
  expect(held(shown.item.attributes['permissions']).toSorted()).toEqual(flags.toSorted());
  const listed = await ground.call('GET', `/organizations/${place.organization.name}/workspaces`, undefined, token);
  expect(listed.items.find(({ id }) => id === place.workspace.id)).toEqual(shown.item);
});

test('of several grants the largest level of each right counts', async () => {
  const place = await newPlace(ground);
  const { organization, workspace } = place;
  const user = await ground.user(organization.id);
  const [one, other] = [
    await ground.team(organization.id, { members: [user.id] }),
    await ground.team(organization.id, { members: [user.id] }),
  ];
  await ground.grant(one.id, { workspace: workspace.id }, 'plan');
  await ground.grant(other.id, { project: organization.projectId }, 'read');
  await sql`update ws_grants set locking = true where team_id = ${other.id}`.execute(ground.service.store.db);
  const { item } = await ground.call('GET', `/workspaces/${workspace.id}`, undefined, user.token);
  expect(held(item.attributes['permissions']).toSorted()).toEqual([...reader, ...plan, ...locking].toSorted());
});

test('permissions show whether administrators of a workspace may force its deletion', async () => {
  const place = await newPlace(ground);
  await sql`update ws_organizations set allow_force_delete_workspaces = true where id = ${place.organization.id}`.execute(
    ground.service.store.db,
  );
  for (const [kind, isAllowed] of [
    ['a user with admin on the workspace', true],
    ['the token of the organization', true],
    ['a user with write on the workspace', false],
  ] as const) {
    const token = await callers[kind](ground, place);
    const { item } = await ground.call('GET', `/workspaces/${place.workspace.id}`, undefined, token);
    expect(item.attributes['permissions'], kind).toMatchObject({ 'can-force-delete': isAllowed });
  }
});
