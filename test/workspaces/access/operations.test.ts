import { expect, test } from 'vitest';
import { project, workspaceBody } from '../resources/workspaces/bodies.ts';
import { workspaceGround } from '../support/ground.ts';
import { type CallerKind, callerKinds, callers, newPlace, type Place } from './callers.ts';

const ground = workspaceGround();

type Operation = (place: Place) => readonly [method: string, path: string, body?: unknown];

const byId = ({ workspace }: Place, suffix = '') => `/workspaces/${workspace.id}${suffix}`;
const byName = ({ organization, workspace }: Place, suffix = '') =>
  `/organizations/${organization.name}/workspaces/${workspace.name}${suffix}`;
const all = ({ organization }: Place) => `/organizations/${organization.name}/workspaces`;

/** In an order in which no operation affects the next one. */
const operations = {
  list: (place) => ['GET', all(place)],
  show: (place) => ['GET', byId(place)],
  'show by name': (place) => ['GET', byName(place)],
  create: (place) => ['POST', all(place), workspaceBody({ name: 'new' })],
  'create in the other project': (place) => [
    'POST',
    all(place),
    workspaceBody({ name: 'inner' }, project(place.otherProjectId)),
  ],
  update: (place) => ['PATCH', byId(place), workspaceBody({ description: 'd' })],
  'update by name': (place) => ['PATCH', byName(place), workspaceBody({ description: 'e' })],
  move: (place) => ['PATCH', byId(place), workspaceBody({}, project(place.otherProjectId))],
} satisfies Readonly<Record<string, Operation>>;

/** Each on its own workspace. */
const removals = {
  'safe delete': (place) => ['POST', byId(place, '/actions/safe-delete')],
  'safe delete by name': (place) => ['POST', byName(place, '/actions/safe-delete')],
  'force delete': (place) => ['DELETE', byId(place)],
  'force delete by name': (place) => ['DELETE', byName(place)],
} satisfies Readonly<Record<string, Operation>>;

/** Statuses of: list, show, create, create in the other project, update, move, safe delete, force delete. */
type Statuses = readonly [number, number, number, number, number, number, number, number];

const all204: Statuses = [200, 200, 201, 201, 200, 200, 204, 204];
const manages: Statuses = [200, 200, 201, 201, 200, 200, 204, 403];
const reads: Statuses = [200, 200, 404, 404, 404, 404, 404, 403];
const sees: Statuses = [200, 404, 404, 404, 404, 404, 404, 404];
const nothing: Statuses = [404, 404, 404, 404, 404, 404, 404, 404];
/** Administers the workspace and creates others only in its project. */
const maintains: Statuses = [200, 200, 201, 422, 200, 422, 204, 403];

const expected: Readonly<Record<CallerKind, Statuses>> = {
  'the administrator of the site': all204,
  'a user of the owners': all204,
  'the token of the organization': manages,
  'a user with manage-projects': manages,
  'a user with manage-workspaces': maintains,
  'a user with read-workspaces': reads,
  'a user with read-projects': reads,
  'a user with admin on the workspace': [200, 200, 404, 404, 200, 422, 204, 403],
  'a user with write on the workspace': reads,
  'a user with plan on the workspace': reads,
  'a user with read on the workspace': reads,
  'a team with custom access': reads,
  'a team with admin on both projects': manages,
  'a team with admin on the project': maintains,
  'a team with maintain on the project': maintains,
  'a team with read and delete on the project': [200, 200, 404, 404, 404, 404, 204, 403],
  'a team with write on the project': reads,
  'a team with read on the project': reads,
  'a member without teams': sees,
  'a team of another organization': nothing,
  'the token of another organization': nothing,
};

const statusesOf = ([list, show, create, inner, update, move, safe, force]: Statuses) => ({
  list,
  show,
  'show by name': show,
  create,
  'create in the other project': inner,
  update,
  'update by name': update,
  move,
  'safe delete': safe,
  'safe delete by name': safe,
  'force delete': force,
  'force delete by name': force,
});

test.each(callerKinds)('%s can do exactly what its rights allow', async (kind) => {
  const place = await newPlace(ground);
  const token = await callers[kind](ground, place);
  const answered: Record<string, number> = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const [method, path, body] = operation(place);
    answered[name] = (await ground.call(method, path, body, token)).status;
  }
  for (const [name, operation] of Object.entries<Operation>(removals)) {
    const own = await newPlace(ground);
    const [method, path] = operation(own);
    answered[name] = (await ground.call(method, path, undefined, await callers[kind](ground, own))).status;
  }
  expect(answered).toEqual(statusesOf(expected[kind]));
});

test('without a token or with an unknown one, every operation is 401', async () => {
  const place = await newPlace(ground);
  for (const operation of Object.values<Operation>({ ...operations, ...removals })) {
    const [method, path, body] = operation(place);
    expect((await ground.call(method, path, body, 'nobody')).status, path).toBe(401);
  }
});
