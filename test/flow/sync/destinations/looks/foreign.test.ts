import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (of: string, name: string) => `sys/sync/destinations/${of}/${name}/foreign`;

interface Found {
  readonly name: string;
  readonly origin: string;
  readonly in_place_of: { readonly secret_name: string } | null;
  readonly tag_names: readonly string[];
}

async function foreign(of: string, name: string, query = '') {
  const answer = await service.ask('GET', `${at(of, name)}${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.data as unknown as {
    readonly prefix: string;
    readonly objects: readonly Found[];
    readonly listed: number;
    readonly after: string | null;
  };
}

/** A destination whose objects are called `<its name>_<last part of the path>`, as the type writes it. */
async function named(type: string) {
  const definition = definitions.find((one) => one.type === type);
  const name = await service.destination(type);
  const start = `${name.replaceAll('-', '_')}_`;
  const template = `${start}{{ .SecretBaseName }}`;
  await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, {
    secret_name_template: template,
    granularity: 'secret-path',
  });
  const folder = service.name('foreign');
  const associate = async (base: string) =>
    service.set(type, name, await service.secret({ v: 'value-of-ours' }, `${folder}/${base}`));
  const external = (base: string) => definition?.names.normalise(`${start}${base}`) ?? '';
  return { name, folder, associate, external, fake: service.fake(type), prefix: definition?.names.normalise(start) };
}

describe.each(definitions)('what is foreign at a destination of type $type', ({ type }) => {
  test('is what matches its template and no association holds', async () => {
    const { name, associate, external, fake, prefix } = await named(type);
    await associate('ours');
    fake.seed(external('theirs'), 'value of another client');
    const before = new Map(fake.objects());
    const { objects, listed, after, ...page } = await foreign(type, name);
    expect(objects).toMatchObject([{ name: external('theirs'), origin: 'other', in_place_of: null }]);
    expect({ listed, after, ...page }).toEqual({ listed: 2, after: null, prefix });
    expect(new Map(fake.objects())).toEqual(before);
    expect(JSON.stringify([objects, service.logged])).not.toContain('value of another client');
  });
});

const marking = definitions.filter(({ markless }) => markless !== true);

describe.each(marking)('what is foreign at a destination of type $type, by its mark,', ({ type }) => {
  test('is an object in the place of one of ours, with the secret that it keeps out', async () => {
    const { name, folder, associate, external, fake } = await named(type);
    await associate('taken');
    fake.seed(external('taken'), 'value of another client');
    expect((await foreign(type, name)).objects).toMatchObject([
      { name: external('taken'), origin: 'other', in_place_of: { secret_name: `${folder}/taken`, mount: 'secret' } },
    ]);
  });

  test('was left behind where its association is gone', async () => {
    const { name, associate, external } = await named(type);
    await associate('left');
    await service.ask('DELETE', `sys/sync/destinations/${type}/${name}?force_delete=true`);
    const { status } = await service.ask('POST', `sys/sync/destinations/${type}/${name}`, {
      ...service.fake(type).destination,
      secret_name_template: `${name.replaceAll('-', '_')}_{{ .SecretBaseName }}`,
      granularity: 'secret-path',
    });
    expect(status).toBe(200);
    expect((await foreign(type, name)).objects).toMatchObject([{ name: external('left'), origin: 'left-behind' }]);
  });
});

describe('what is foreign', () => {
  const type = 'cloud-a-sm';

  test('comes in pages that begin where the one before ended, also within a page of the system', async () => {
    const { name, external, fake } = await named(type);
    const names = Array.from({ length: 130 }, (_, index) => external(`n${String(index).padStart(3, '0')}`));
    for (const one of names) fake.seed(one, 'foreign');
    const found: string[] = [];
    let after: string | null = '';
    for (let pages = 0; after !== null && pages < 10; pages += 1) {
      const page = await foreign(type, name, `?limit=45&after=${after}`);
      expect(page.objects.length).toBeLessThanOrEqual(45);
      found.push(...page.objects.map((one) => one.name));
      after = page.after;
    }
    expect(found).toEqual(names);
  });

  test('does not have the objects of another destination of this installation in the same account', async () => {
    const { name, associate, external } = await named(type);
    await associate('shared');
    const other = await service.destination(type);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${other}`, {
      secret_name_template: `${name.replaceAll('-', '_')}_{{ .SecretBaseName }}`,
    });
    service.fake(type).seed(external('theirs'), 'foreign');
    expect((await foreign(type, other)).objects.map((one) => one.name)).toEqual([external('theirs')]);
  });

  test('cannot be listed without the permission, which the reply says', async () => {
    const { name, fake } = await named(type);
    fake.fail({ kind: 'denied' });
    const refused = await service.ask('GET', at(type, name));
    fake.heal();
    expect(refused.status).toBe(502);
    expect(refused.text).toContain('the credentials do not allow it');
  });

  test('refuses a place that is not one of its pages', async () => {
    const [{ name, external, fake }, other] = [await named(type), await named(type)];
    for (const base of ['a', 'b']) fake.seed(external(base), 'foreign');
    const { after } = await foreign(type, name, '?limit=1');
    for (const [of, wrong] of [
      [name, 'AAAA'],
      [other.name, after],
    ]) {
      const refused = await service.ask('GET', `${at(type, of ?? '')}?after=${wrong}`);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('after is invalid')]);
    }
    expect((await service.ask('GET', `${at(type, name)}?limit=501`)).status).toBe(400);
    expect((await service.ask('GET', at(type, 'no-such-destination'))).status).toBe(404);
  });
});
