import { afterEach, describe, expect, test } from 'vitest';
import { only } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const labels = 'cloud-c-sm';
const service = serviceOf([type, labels]);
const config = 'sys/sync/config';
const at = (destinationName: string, of = type) => `sys/sync/destinations/${of}/${destinationName}`;
const tagsOf = async (destinationName: string, of = type) =>
  Object((await service.ask('GET', at(destinationName, of))).data['options'])['custom_tags'];

afterEach(() => service.ask('DELETE', config));

describe('null in a PATCH of the configuration', () => {
  test('resets the field to its default, and only that field', async () => {
    await service.ask('PATCH', config, { disabled: true, queue_capacity: 7 });
    expect((await service.ask('PATCH', config, { queue_capacity: null })).data).toEqual({
      disabled: true,
      queue_capacity: 1_000_000,
    });
    await service.ask('PATCH', config, { queue_capacity: 7 });
    expect((await service.ask('PATCH', config, { disabled: null })).data).toEqual({
      disabled: false,
      queue_capacity: 7,
    });
    expect((await service.ask('GET', config)).data).toEqual({ disabled: false, queue_capacity: 7 });
  });

  test('is ignored by POST', async () => {
    await service.ask('PATCH', config, { queue_capacity: 7 });
    const { status, data } = await service.ask('POST', config, { disabled: null, queue_capacity: null });
    expect({ status, data }).toEqual({ status: 200, data: { disabled: false, queue_capacity: 7 } });
  });
});

describe('null for a tag in a PATCH of a destination', () => {
  test('removes that tag from the destination and its copies', async () => {
    const destinationName = await service.destination(type, { custom_tags: { c: '1', kept: '2' } });
    const secret = await service.secret({ v: 'x' });
    const { external_name } = only(await service.set(type, destinationName, secret));
    const { status } = await service.ask('PATCH', at(destinationName), {
      custom_tags: { c: null, unknown: null, added: '3' },
    });
    expect(status).toBe(200);
    expect(await tagsOf(destinationName)).toEqual({ kept: '2', added: '3' });
    await service.untilQuiet();
    const { tags } = service.fake(type).objects().get(external_name) ?? {};
    expect(tags).toMatchObject({ kept: '2', added: '3' });
    expect(tags).not.toHaveProperty('c');
  });

  test('finds the tag by its given name although it is stored under another', async () => {
    const destinationName = await service.destination(labels, {
      custom_tags: { Team: 'A', Stage: 'dev', Owner: 'me' },
    });
    expect(await tagsOf(destinationName, labels)).toEqual({ team: 'a', stage: 'dev', owner: 'me' });
    const change = { custom_tags: { Team: null, Stage: 'prod' }, tags_to_remove: ['Owner'] };
    expect((await service.ask('PATCH', at(destinationName, labels), change)).status).toBe(200);
    expect(await tagsOf(destinationName, labels)).toEqual({ stage: 'prod' });
  });

  test('is refused by POST', async () => {
    const destinationName = await service.destination(type);
    const { status, errors } = await service.ask('POST', at(destinationName), {
      ...service.fake(type).destination,
      custom_tags: { c: null },
    });
    expect(status).toBe(400);
    expect(errors.join()).toContain('custom_tags');
  });
});
