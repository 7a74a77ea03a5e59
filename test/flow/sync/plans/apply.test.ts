import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { plansOf } from './planned.ts';

const service = serviceOf();
const { keep, apply, start, ended, pause, records, read } = plansOf(service);

describe.each(definitions)('an applied plan of a destination of type $type', ({ type }) => {
  test('does what was planned', async () => {
    const name = await service.destination(type);
    const secret = await service.secret({ v: 'kept' });
    await service.set(type, name, secret);
    await pause(type, name, true);
    await service.secret({ v: 'newer' }, secret);
    const { objects, plan_id } = await keep(type, name);
    expect(objects.map(({ action, reason }) => [action, reason])).toEqual([['update', 'changed']]);
    const id = await start(plan_id);
    await service.sweep();
    await pause(type, name, false);
    expect(await ended(id)).toMatchObject({ state: 'done', total: 1, counts: { synced: 1, failed: 0 } });
    expect([...service.fake(type).objects().values()].some(({ value }) => value.includes('newer'))).toBe(true);
  });
});

describe('an applied plan', () => {
  const type = 'cloud-a-sm';

  /** A destination with synced secrets, whose objects are called `<destination>-<base>`. */
  async function synced(...bases: readonly string[]) {
    const [name, folder] = [await service.destination(type), service.name('kept')];
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, {
      secret_name_template: `${name}-{{ .SecretBaseName }}`,
    });
    for (const base of bases)
      await service.set(type, name, await service.secret({ v: `of ${base}` }, `${folder}/${base}`));
    const fake = service.fake(type);
    return { name, folder, fake, value: (base: string) => fake.objects().get(`${name}-${base}`)?.value };
  }

  test('writes what was planned and nothing else', async () => {
    const { name, fake, value } = await synced('a', 'b', 'c');
    for (const base of ['a', 'b']) fake.change(`${name}-${base}`, 'by hand');
    const { plan_id, counts } = await keep(type, name, { limit: 1 });
    expect(counts).toMatchObject({ update: 1 });
    const before = await records(type, name);
    const id = await start(plan_id);
    expect(await ended(id)).toMatchObject({
      state: 'done',
      action: 'apply',
      total: 1,
      changed: 1,
      counts: { synced: 1 },
    });
    expect([value('a'), value('b'), value('c')]).toEqual(['{"v":"of a"}', 'by hand', '{"v":"of c"}']);
    const after = await records(type, name);
    expect(after.map(({ generation }) => generation)).toEqual(
      before.map(({ generation }, index) => generation + (index === 0 ? 1 : 0)),
    );
  });

  test('has the pages that were added to it, and is applied once', async () => {
    const { name, fake, value } = await synced('a', 'b', 'c');
    for (const base of ['a', 'b', 'c']) fake.change(`${name}-${base}`, 'by hand');
    const first = await keep(type, name, { limit: 2 });
    const second = await keep(type, name, { limit: 2, plan_id: first.plan_id, after: first.after });
    expect([second.plan_id, second.after]).toEqual([first.plan_id, null]);
    const shown = await service.ask('GET', `sys/sync/plans/${first.plan_id}`);
    expect(shown.data).toMatchObject({ id: first.plan_id, total: 3, applied_at: null, batch: null });
    expect((await service.ask('LIST', 'sys/sync/plans')).data?.['keys']).toContain(first.plan_id);
    const id = await start(first.plan_id);
    expect(await apply(first.plan_id)).toMatchObject({ status: 409, text: expect.stringContaining(id) });
    expect(await ended(id)).toMatchObject({ counts: { synced: 3, failed: 0, skipped: 0 } });
    expect(await apply(first.plan_id)).toMatchObject({ status: 409 });
    expect(value('c')).toBe('{"v":"of c"}');
    expect((await keep(type, name)).counts).toMatchObject({ update: 0, leave: 3 });
    const late = await service.ask('POST', `sys/sync/destinations/${type}/${name}/plan`, { plan_id: first.plan_id });
    expect(late).toMatchObject({ status: 400, text: expect.stringContaining('plan_id') });
  });

  test('is refused, and does nothing, when a secret or the destination has changed since', async () => {
    const { name, folder, fake, value } = await synced('a', 'b');
    fake.change(`${name}-a`, 'by hand');
    const first = await keep(type, name);
    await service.secret({ v: 'newer' }, `${folder}/a`);
    await service.untilQuiet();
    fake.change(`${name}-a`, 'by hand');
    expect(await apply(first.plan_id)).toMatchObject({
      status: 409,
      text: expect.stringContaining(`secret/${folder}/a at ${type}/${name}: its record, at 2`),
    });
    const second = await keep(type, name);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { rate_group: 'another' });
    const refused = await apply(second.plan_id);
    expect(refused).toMatchObject({
      status: 409,
      text: expect.stringContaining(`destination ${type}/${name}: its settings, at 2`),
    });
    expect((await service.ask('GET', `sys/sync/plans/${second.plan_id}`)).data).toMatchObject({ applied_at: null });
    await service.untilQuiet();
    expect(value('b')).toBe('{"v":"of b"}');
    const third = await keep(type, name);
    await service.ask('DELETE', `sys/sync/destinations/${type}/${name}?force_delete=true`);
    expect(await apply(third.plan_id)).toMatchObject({ status: 409, text: expect.stringContaining('it was deleted') });
  });

  test('does not write what turns out to differ at the destination', async () => {
    const { name, fake, value } = await synced('deleted', 'changed', 'same');
    for (const base of ['deleted', 'changed', 'same']) fake.change(`${name}-${base}`, 'by hand');
    const { plan_id } = await keep(type, name);
    await pause(type, name, true);
    const id = await start(plan_id);
    await service.sweep();
    fake.seed(`${name}-deleted`, 'of another client');
    fake.change(`${name}-changed`, 'by hand again');
    await pause(type, name, false);
    expect(await ended(id)).toMatchObject({
      state: 'done',
      counts: { synced: 1, failed: 2 },
      failed_by_kind: { changed: 2 },
    });
    expect([value('deleted'), value('changed'), value('same')]).toEqual([
      'of another client',
      'by hand again',
      '{"v":"of same"}',
    ]);
    const [changed, deleted] = await records(type, name);
    expect([changed, deleted]).toMatchObject([
      {
        status: 'CLIENT_SIDE_ERROR',
        error: { kind: 'changed', message: expect.stringContaining('it was changed there') },
      },
      {
        status: 'CLIENT_SIDE_ERROR',
        error: { kind: 'changed', message: expect.stringContaining('now refuse (foreign)') },
      },
    ]);
    const filtered = await service.ask('GET', `sys/sync/records?name=${name}&kind=changed`);
    expect(filtered.data?.['total']).toBe(2);
    await service.ask('POST', 'sys/sync/replay', { type, name });
    await service.untilQuiet();
    expect(value('changed')).toBe('{"v":"of changed"}');
  });

  test('leaves out what changed after it began, and what was refused', async () => {
    const { name, folder, fake, value } = await synced('a', 'b');
    for (const base of ['a', 'b']) fake.change(`${name}-${base}`, 'by hand');
    await pause(type, name, true);
    fake.seed(`${name}-taken`, 'foreign');
    await service.set(type, name, await service.secret({ v: 'of taken' }, `${folder}/taken`));
    const { plan_id, counts } = await keep(type, name);
    expect(counts).toMatchObject({ update: 2, refuse: 1 });
    const id = await start(plan_id);
    await service.secret({ v: 'newer' }, `${folder}/b`);
    await pause(type, name, false);
    expect(await ended(id)).toMatchObject({
      total: 2,
      counts: { synced: 1, failed: 1 },
      failed_by_kind: { changed: 1 },
    });
    await service.untilQuiet();
    expect([value('a'), value('b'), value('taken')]).toEqual(['{"v":"of a"}', '{"v":"newer"}', 'foreign']);
  });

  test('sets associations again with the template that was planned', async () => {
    const { name, folder, value, fake } = await synced('a');
    const secret_name_template = `${name}-next-{{ .SecretBaseName }}`;
    const { plan_id, objects } = await keep(type, name, { secret_name_template });
    expect(objects.map(({ external_name, action }) => [external_name, action])).toEqual([
      [`${name}-next-a`, 'create'],
      [`${name}-a`, 'delete'],
    ]);
    expect(await ended(await start(plan_id))).toMatchObject({ counts: { synced: 1 } });
    expect([value('a'), fake.objects().get(`${name}-next-a`)?.value]).toEqual([undefined, '{"v":"of a"}']);
    await service.secret({ v: 'newer' }, `${folder}/a`);
    await service.untilQuiet();
    expect(fake.objects().get(`${name}-next-a`)?.value).toBe('{"v":"newer"}');
    const other = await service.ask('POST', `sys/sync/destinations/${type}/${name}/plan`, {
      keep: true,
      custom_tags: { team: 'a' },
    });
    expect(other).toMatchObject({ status: 400, text: expect.stringContaining('custom_tags cannot be kept') });
  });

  test('can be canceled', async () => {
    const { name, fake, value } = await synced('a');
    fake.change(`${name}-a`, 'by hand');
    const { plan_id } = await keep(type, name);
    const id = await start(plan_id);
    await service.ask('POST', `sys/sync/batches/${id}/cancel`, {});
    await service.sweep();
    await service.untilQuiet();
    expect([value('a'), (await read(id)).state]).toEqual(['by hand', 'canceled']);
  });
});
