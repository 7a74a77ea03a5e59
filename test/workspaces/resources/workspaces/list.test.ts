import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { counted } from '#infra/bench/workspaces/statements.ts';
import { newId } from '#workspaces/frame/ids.ts';
import { workspaceGround } from '../../support/ground.ts';
import { bindings, namesIn, project, tags, workspaceBody } from './bodies.ts';

const ground = workspaceGround();

interface Made {
  readonly name: string;
  readonly more?: object;
}

/** An organization with these workspaces, and its list. */
const organizationWith = async (made: readonly Made[]) => {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/workspaces`;
  const ids = new Map<string, string>();
  for (const { name, more = {} } of made)
    ids.set(name, (await ground.call('POST', path, workspaceBody({ name }, more))).item.id);
  const list = (query = '', token?: string) => ground.call('GET', `${path}?${query}`, undefined, token);
  return { organization, ids, list };
};

const named = (...names: readonly string[]): readonly Made[] => names.map((name) => ({ name }));

test('pages have twenty entries ordered by name, and pages beyond the end are empty', async () => {
  const names = Array.from({ length: 23 }, (_, at) => `w${String(at).padStart(2, '0')}`);
  const { organization, list } = await organizationWith(named(...names.toReversed()));
  const first = await list();
  expect(namesIn(first)).toEqual(names.slice(0, 20));
  expect(first.body?.meta).toEqual({
    pagination: {
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 2,
      'total-count': 23,
    },
  });
  const second = await list('page[number]=2&page[size]=10&search[name]=W');
  expect(namesIn(second)).toEqual(names.slice(10, 20));
  expect(second.body?.links?.['next']).toBe(
    `${ground.service.address}/api/v2/organizations/${organization.name}/workspaces?page%5Bnumber%5D=3&page%5Bsize%5D=10&search%5Bname%5D=W`,
  );
  const beyond = await list('page[number]=999&page[size]=100');
  expect(beyond.items).toEqual([]);
  expect(beyond.body?.meta).toMatchObject({ pagination: { 'current-page': 999, 'total-count': 23 } });
  expect((await list('page[size]=1000')).items).toHaveLength(23);
  expect((await list('page[number]=0')).status).toBe(400);
});

test('names are searched by substring and by wildcards; other characters match themselves', async () => {
  const { list } = await organizationWith(named('net-prod', 'net_dev', 'app-prod', 'netXdev'));
  expect(namesIn(await list('search[name]=NET'))).toEqual(['net-prod', 'net_dev', 'netXdev']);
  expect(namesIn(await list('search[name]=%25'))).toEqual([]);
  expect(namesIn(await list('search[wildcard-name]=*-prod'))).toEqual(['app-prod', 'net-prod']);
  expect(namesIn(await list('search[wildcard-name]=net_*'))).toEqual(['net_dev']);
  expect(namesIn(await list('search[wildcard-name]=*-p*'))).toEqual(['app-prod', 'net-prod']);
  expect(namesIn(await list('search[wildcard-name]=net'))).toEqual([]);
});

test('a workspace must have all requested tags and no excluded one; bindings without a value count as tags', async () => {
  const { list } = await organizationWith([
    { name: 'a', more: tags('x', 'y') },
    { name: 'b', more: tags('x') },
    { name: 'c', more: { ...tags('y'), ...bindings({ x: '' }) } },
    { name: 'd', more: bindings({ x: 'value' }) },
  ]);
  expect(namesIn(await list('search[tags]=x'))).toEqual(['a', 'b', 'c']);
  expect(namesIn(await list('search[tags]=X,y'))).toEqual(['a', 'c']);
  expect(namesIn(await list('filter[tag-union]=y,x'))).toEqual(['a', 'b', 'c']);
  expect(namesIn(await list('search[tags]=x&filter[tagged][0][key]=x&filter[tagged][0][value]=value'))).toEqual(['d']);
  expect(namesIn(await list('search[exclude-tags]=y'))).toEqual(['b', 'd']);
  expect(namesIn(await list('search[exclude-tags]=y,x'))).toEqual(['d']);
  expect(namesIn(await list('search[tags]=x&search[exclude-tags]=x'))).toEqual([]);
});

test('all requested bindings must match by key and value; those of the project count unless the workspace overrides them', async () => {
  const { organization, ids, list } = await organizationWith([
    { name: 'a', more: bindings({ env: 'prod', tier: '1' }) },
    { name: 'b', more: bindings({ env: 'dev' }) },
  ]);
  const inner = await ground.project(organization.id);
  await sql`insert into ws_tag_bindings (id, project_id, key, value) values (${newId('tb')}, ${inner}, 'env', 'prod')`.execute(
    ground.service.store.db,
  );
  const path = `/organizations/${organization.name}/workspaces`;
  await ground.call('POST', path, workspaceBody({ name: 'inherits' }, project(inner)));
  await ground.call(
    'POST',
    path,
    workspaceBody({ name: 'overrides' }, { ...project(inner), ...bindings({ env: 'dev' }) }),
  );
  const one = (key: string, value: string, at = 0) =>
    `filter[tagged][${at}][key]=${key}&filter[tagged][${at}][value]=${value}`;
  expect(namesIn(await list(one('env', 'prod')))).toEqual(['a', 'inherits']);
  expect(namesIn(await list(one('env', '')))).toEqual(['a', 'b', 'inherits', 'overrides']);
  expect(namesIn(await list(`${one('env', 'prod')}&${one('tier', '', 1)}`))).toEqual(['a']);
  expect(namesIn(await list(one('env', 'dev')))).toEqual(['b', 'overrides']);
  expect(namesIn(await list(`filter[project][id]=${inner}`))).toEqual(['inherits', 'overrides']);
  expect((await list('filter[project][id]=prj-none')).items).toEqual([]);
  const shown = await ground.call('GET', `/workspaces/${ids.get('a')}`);
  expect((await list(one('tier', '1'))).items).toEqual([shown.item]);
});

test('the list is filtered by the status of the current run and sorted by its time', async () => {
  const { ids, list } = await organizationWith(named('a', 'b', 'c', 'd'));
  const run = async (name: string, status: string, minute: number) => {
    const id = newId('run');
    await sql`insert into ws_runs (id, workspace_id, status, created_at)
      values (${id}, ${ids.get(name)}, ${status}, ${new Date(2031, 1, 1, 1, minute)})`.execute(ground.service.store.db);
    await sql`update ws_workspaces set current_run_id = ${id} where id = ${ids.get(name)}`.execute(
      ground.service.store.db,
    );
  };
  await run('a', 'planned', 2);
  await run('b', 'applied', 1);
  await run('c', 'errored', 3);
  expect(namesIn(await list('filter[current-run][status]=planned,errored'))).toEqual(['a', 'c']);
  expect(namesIn(await list('sort=current-run.created-at'))).toEqual(['b', 'a', 'c', 'd']);
  expect(namesIn(await list('sort=-current-run.created-at'))).toEqual(['c', 'a', 'b', 'd']);
});

test('the list is sorted by name or by the last change, in both directions; any other order is 400', async () => {
  const { ids, list } = await organizationWith(named('B', 'a', 'c'));
  expect(namesIn(await list('sort=name'))).toEqual(['a', 'B', 'c']);
  expect(namesIn(await list('sort=-name'))).toEqual(['c', 'B', 'a']);
  await ground.call('PATCH', `/workspaces/${ids.get('B')}`, workspaceBody({ description: 'changed' }));
  expect(namesIn(await list('sort=latest-change-at'))).toEqual(['a', 'c', 'B']);
  expect(namesIn(await list('sort=-latest-change-at'))).toEqual(['B', 'c', 'a']);
  for (const sort of ['height', 'constructor']) expect((await list(`sort=${sort}`)).status).toBe(400);
});

test('a list contains what the caller may read, and is 404 for non-members', async () => {
  const { organization, ids, list } = await organizationWith(named('a', 'b', 'c'));
  const team = await ground.team(organization.id);
  expect((await list('', team.token)).items).toEqual([]);
  await ground.grant(team.id, { workspace: ids.get('b') ?? '' }, 'read');
  const seen = await list('', team.token);
  expect(namesIn(seen)).toEqual(['b']);
  expect(seen.body?.meta).toMatchObject({ pagination: { 'total-count': 1 } });
  expect(seen.items[0]?.attributes['permissions']).toMatchObject({ 'can-read-run': true, 'can-update': false });
  // A workspace granted both directly and through its project appears once, in pages and in counts, with any filter.
  await ground.grant(team.id, { project: organization.projectId }, 'write');
  const other = await ground.project(organization.id);
  const alone = await ground.workspace(organization.id, other);
  await ground.grant(team.id, { workspace: alone.id }, 'read');
  const unread = await ground.workspace(organization.id, other);
  for (const query of ['', 'search[wildcard-name]=*', 'sort=-latest-change-at', 'sort=current-run.created-at']) {
    const all = await list(query, team.token);
    expect(new Set(namesIn(all)), query).toEqual(new Set(['a', 'b', 'c', alone.name]));
    expect(all.body?.meta, query).toMatchObject({ pagination: { 'total-count': 4 } });
  }
  expect(namesIn(await list(`filter[project][id]=${other}`, team.token))).toEqual([alone.name]);
  expect(namesIn(await list(`filter[project][id]=${other}`))).toHaveLength(2);
  expect(namesIn(await list(`search[name]=${unread.name}`, team.token))).toEqual([]);
  const stranger = await ground.user((await ground.organization()).id);
  expect((await list('', stranger.token)).status).toBe(404);
});

test('a page of twenty with filters takes at most six statements, whatever the number of workspaces', async () => {
  const { organization, list } = await organizationWith(
    Array.from({ length: 20 }, (_, at) => ({
      name: `w${at}`,
      more: { ...tags(`t${at}`, 'all'), ...bindings({ env: 'x' }) },
    })),
  );
  const team = await ground.team(organization.id);
  await ground.grant(team.id, { project: organization.projectId }, 'plan');
  const query =
    'search[tags]=all&search[exclude-tags]=none&filter[tagged][0][key]=env&sort=-name&include=project,locked_by';
  const { statements, answer } = await counted(() => list(query, team.token));
  expect(answer.items).toHaveLength(20);
  expect(statements).toBeLessThanOrEqual(6);
  expect(statements).toBeGreaterThan(2);
});

test('invalid values of parameters are refused', async () => {
  const { list } = await organizationWith(named('a'));
  const many = Array.from({ length: 101 }, (_, at) => `t${at}`).join(',');
  const filters = Array.from({ length: 33 }, (_, at) => `filter[tagged][${at}][key]=k`).join('&');
  const queries = [
    ...['search[name]', 'search[wildcard-name]', 'search[tags]', 'filter[project][id]', 'filter[tagged][0][key]'].map(
      (name) => `${name}=%00`,
    ),
    ...[`search[tags]=${many}`, filters, `search[name]=${'n'.repeat(513)}`, 'page[size]=x', 'page[number]=99999999999'],
  ];
  for (const query of queries) expect((await list(query)).status, query).toBe(400);
  for (const query of [
    'search[wildcard-name]=\\',
    'search[name]=%27%22',
    'filter[tagged][x][value]=v',
    'filter[tagged][0][key]=',
  ])
    expect((await list(query)).status, query).toBe(200);
});
