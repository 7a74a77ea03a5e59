import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { plansOf } from './planned.ts';

const types = ['cloud-a-sm', 'cloud-b-kv'] as const;
const service = serviceOf(types);
const { planAll, keepAll, apply, start, ended } = plansOf(service);

afterEach(async () => {
  await service.ask('DELETE', 'sys/sync/config');
});

/** A destination of each type with two secrets each, in a folder of their own. */
async function everywhere() {
  const folder = service.name('all');
  const names: string[] = [];
  for (const type of types) {
    const name = await service.destination(type);
    names.push(name);
    for (const base of ['a', 'b'])
      await service.set(type, name, await service.secret({ v: `${type} ${base}` }, `${folder}/${name}-${base}`));
  }
  return { folder, names };
}

async function tokenOf(rules: readonly string[]) {
  const policy = service.name('planner');
  await service.api.write(`sys/policies/acl/${policy}`, { policy: rules.join('\n') });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [policy] });
  return { 'x-service-token': (body['auth'] as { readonly client_token: string }).client_token };
}

const rule = (path: string) => `path "${path}" { capabilities = ["read", "create", "update"] }`;

describe('a plan of all destinations', () => {
  test('goes from destination to destination, page by page', async () => {
    const { folder, names } = await everywhere();
    const seen: string[] = [];
    let after: string | null = '';
    for (let pages = 0; after !== null && pages < 10; pages += 1) {
      const page = await planAll(`?prefix=${folder}/&limit=3${after === '' ? '' : `&after=${after}`}`);
      expect(page.total).toBe(4);
      expect(page.objects.length).toBeLessThanOrEqual(3);
      seen.push(...page.objects.map(({ destination }) => `${destination?.type}/${destination?.name}`));
      after = page.after;
    }
    const both = types.map((type, index) => `${type}/${names[index]}`);
    expect(seen).toEqual([both[0], both[0], both[1], both[1]]);
    expect((await planAll(`?type=cloud-b-kv&prefix=${folder}/`)).total).toBe(2);
    expect((await planAll(`?name=${names[0]}&mount=secret&secret=${folder}/${names[0]}-a`)).total).toBe(1);
  });

  test('shows the error of a sick destination on its objects, and plans the others', async () => {
    const { folder } = await everywhere();
    service.fake('cloud-a-sm').fail({ kind: 'credentials' });
    const { objects, counts, after } = await planAll(`?prefix=${folder}/&limit=100`);
    expect(objects.map(({ destination, action }) => [destination?.type, action])).toEqual([
      ['cloud-a-sm', 'error'],
      ['cloud-a-sm', 'error'],
      ['cloud-b-kv', 'leave'],
      ['cloud-b-kv', 'leave'],
    ]);
    expect(objects[0]?.error).toEqual({ kind: 'upstream', message: expect.stringContaining('cannot look at') });
    expect([counts, after]).toEqual([{ create: 0, update: 0, delete: 0, refuse: 0, leave: 2, error: 2 }, null]);
  });

  test('asks a sick destination once, and not again on the next page', async () => {
    const { folder } = await everywhere();
    service.fake('cloud-a-sm').fail({ kind: 'credentials' });
    const first = await planAll(`?prefix=${folder}/&limit=1`);
    const second = await planAll(`?prefix=${folder}/&limit=2&after=${first.after}`);
    expect(second.objects.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('an earlier page has the error'),
      undefined,
    ]);
  });

  test('neither lists nor counts what the caller may not plan, and is applied by who may plan it all', async () => {
    const { folder, names } = await everywhere();
    const own = `sys/sync/destinations/cloud-a-sm/${names[0]}/plan`;
    const headers = await tokenOf([rule('sys/sync/plan'), rule('sys/sync/plans/*'), rule(own)]);
    const shown = await service.ask('GET', `sys/sync/plan?prefix=${folder}/`, undefined, { headers });
    expect(shown.data).toMatchObject({ total: 2, counts: { leave: 2 } });
    const { plan_id } = await keepAll({ prefix: `${folder}/` });
    const refused = await service.ask('POST', `sys/sync/plans/${plan_id}/apply`, {}, { headers });
    expect(refused.status).toBe(403);
    const mine = await service.ask('POST', 'sys/sync/plan', { prefix: `${folder}/`, keep: true }, { headers });
    const id = String(mine.data?.['plan_id']);
    expect((await service.ask('POST', `sys/sync/plans/${id}/apply`, {}, { headers })).status).toBe(202);
  });

  test('is kept and applied as a whole', async () => {
    const { folder } = await everywhere();
    for (const type of types)
      for (const [name, { value }] of service.fake(type).objects())
        if (value.includes(`${type} a`)) service.fake(type).change(name, 'by hand');
    const { plan_id, counts } = await keepAll({ prefix: `${folder}/` });
    expect(counts).toMatchObject({ update: 2, leave: 2 });
    expect(await ended(await start(plan_id))).toMatchObject({ total: 2, counts: { synced: 2, failed: 0 } });
    expect((await planAll(`?prefix=${folder}/`)).counts).toMatchObject({ update: 0, leave: 4 });
  });

  test.each(['limit=0', 'limit=101', 'after=nothing', 'after=~', 'type=unknown', 'unknown=1', 'mount=/'])(
    '?%s is refused',
    async (query) => {
      expect((await service.ask('GET', `sys/sync/plan?${query}`)).status).toBe(400);
    },
  );

  test('makes no call while the sync is disabled', async () => {
    await service.ask('PATCH', 'sys/sync/config', { disabled: true });
    expect((await service.ask('GET', 'sys/sync/plan')).status).toBe(400);
  });
});

describe('a kept plan', () => {
  test('expires, and the sweep deletes it', async () => {
    const { folder } = await everywhere();
    const { plan_id = '' } = await keepAll({ prefix: `${folder}/` });
    await sql`update sync_plans set expires_at = now() - interval '1 second' where id = ${plan_id}::uuid`.execute(
      service.store.db,
    );
    expect(await apply(plan_id)).toMatchObject({ status: 409, text: expect.stringContaining('the plan expired at') });
    expect((await service.ask('GET', `sys/sync/plans/${plan_id}`)).status).toBe(404);
    await service.sweep();
    expect((await apply(plan_id)).status).toBe(404);
    const left = await sql`select 1 from sync_plan_destinations where plan_id = ${plan_id}::uuid`.execute(
      service.store.db,
    );
    expect(left.rows).toEqual([]);
  });

  test('stays while its batch is open, and goes with it', async () => {
    const { folder, names } = await everywhere();
    for (const [name, { value }] of service.fake('cloud-a-sm').objects())
      if (value.includes('cloud-a-sm')) service.fake('cloud-a-sm').change(name, 'by hand');
    const { plan_id = '' } = await keepAll({ prefix: `${folder}/` });
    await service.ask('PATCH', `sys/sync/destinations/cloud-a-sm/${names[0]}`, { disabled: true });
    const id = await start(plan_id);
    await sql`update sync_plans set expires_at = now() where id = ${plan_id}::uuid`.execute(service.store.db);
    await service.sweep();
    expect((await service.ask('GET', `sys/sync/plans/${plan_id}`)).data).toMatchObject({ batch: id });
    await service.ask('PATCH', `sys/sync/destinations/cloud-a-sm/${names[0]}`, { disabled: false });
    expect(await ended(id)).toMatchObject({ counts: { synced: 2 } });
    await service.sweep();
    expect((await service.ask('GET', `sys/sync/plans/${plan_id}`)).status).toBe(404);
  });

  test('can be deleted, and belongs to its namespace', async () => {
    const { plan_id } = await keepAll({ prefix: 'nothing-begins-so/' });
    const namespace = service.name('space');
    await service.api.write(`sys/namespaces/${namespace}`, {});
    expect((await service.ask('GET', `${namespace}/sys/sync/plans/${plan_id}`)).status).toBe(404);
    expect((await service.ask('POST', `${namespace}/sys/sync/plans/${plan_id}/apply`, {})).status).toBe(404);
    const foreign = await service.ask('POST', `${namespace}/sys/sync/plan`, { plan_id });
    expect(foreign).toMatchObject({ status: 400, text: expect.stringContaining('plan_id') });
    expect((await service.ask('DELETE', `sys/sync/plans/${plan_id}`)).status).toBe(204);
    expect((await service.ask('GET', `sys/sync/plans/${plan_id}`)).status).toBe(404);
    expect((await apply('nothing')).status).toBe(404);
  });

  test('is refused when too many are kept', async () => {
    const namespace = service.name('space');
    await service.api.write(`sys/namespaces/${namespace}`, {});
    const ids: unknown[] = [];
    for (let count = 0; count < 50; count += 1)
      ids.push((await service.ask('POST', `${namespace}/sys/sync/plan`, { keep: true })).data?.['plan_id']);
    const refused = await service.ask('POST', `${namespace}/sys/sync/plan`, { keep: true });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('50 plans are kept') });
    await service.ask('DELETE', `${namespace}/sys/sync/plans/${ids[0]}`);
    expect((await service.ask('POST', `${namespace}/sys/sync/plan`, { keep: true })).status).toBe(200);
  });
});
