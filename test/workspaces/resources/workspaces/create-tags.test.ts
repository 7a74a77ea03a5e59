import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { bindings, project, tags, workspaceBody } from './bodies.ts';

const ground = workspaceGround();

async function stage() {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/workspaces`;
  const create = (name: string, relationships: object, token?: string) =>
    ground.call('POST', path, workspaceBody({ name }, relationships), token);
  return { organization, create };
}

test('flat tags of a new workspace are given by name or by id; an unknown id is 422', async () => {
  const { organization, create } = await stage();
  await create('a', tags('one'));
  const [tag] = (await ground.call('GET', `/organizations/${organization.name}/tags`)).items;
  const listed = [{ type: 'tags', id: tag?.id }, ...tags('two').tags.data];
  const made = await create('b', { tags: { data: listed } });
  expect([made.status, made.item.attributes['tag-names']]).toEqual([201, ['two', 'one']]);
  const refused = await create('c', { tags: { data: [{ type: 'tags', id: 'tag-none' }] } });
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, 'Tag not found']);
});

test('tags and bindings of another type are refused', async () => {
  const { create } = await stage();
  const wrong = [
    { tags: { data: [{ type: 'workspaces', attributes: { name: 'a' } }] } },
    { 'tag-bindings': { data: [{ type: 'tags', attributes: { key: 'a', value: 'b' } }] } },
  ];
  for (const relationships of wrong) expect((await create('a', relationships)).status).toBe(422);
});

test('callers that may create workspaces but not manage tags create them without tags', async () => {
  const { organization, create } = await stage();
  const [team, projectId] = [await ground.team(organization.id), await ground.project(organization.id)];
  const grant = (access: object) => ({
    data: {
      type: 'team-projects',
      attributes: access,
      relationships: { ...project(projectId), team: { data: { type: 'teams', id: team.id } } },
    },
  });
  const custom = { access: 'custom', 'workspace-access': { create: true } };
  const granted = await ground.call('POST', '/team-projects', grant(custom));
  const make = async (name: string, more: object) => {
    const { status, errors } = await create(name, { ...project(projectId), ...more }, team.token);
    return [status, errors[0]?.detail];
  };
  expect(await make('a', {})).toEqual([201, undefined]);
  const refusal = 'You are not authorized to manage tags of workspaces in this project.';
  for (const more of [tags('x'), bindings({ k: 'v' })]) expect(await make('b', more)).toEqual([422, refusal]);
  await ground.call('PATCH', `/team-projects/${granted.item.id}`, grant({ access: 'maintain' }));
  expect(await make('b', { ...tags('x'), ...bindings({ k: 'v' }) })).toEqual([201, undefined]);
});
