import { describe, expect, test } from 'vitest';
import { pathName, typeName } from '#path/vocabulary.ts';
import { statuses } from '../../support/flow/associations.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { allTypeNames } from '../../support/type-names.ts';

/** In the copy of the project that has one more destination type, this file is a test. */
const type = 'key-shelf';
const alias = 'shelf';
const service = serviceOf([type]);

describe(`the destination ${type}`, () => {
  test('help and OpenAPI name the type, by both of its names', async () => {
    for (const name of [type, alias]) {
      const { status, text } = await service.ask('GET', `sys/sync/destinations/${name}/some?help=1`);
      expect(status).toBe(200);
      const { help, openapi } = JSON.parse(text);
      expect(help).toContain('Token that may read and write items');
      expect(JSON.stringify(openapi)).toContain('Token that may read and write items');
    }
  });

  test('the vocabulary has its alias', () => {
    expect(typeName(allTypeNames, type, 'alias')).toBe(alias);
    expect(pathName(allTypeNames, `sys/sync/destinations/${type}/some`, 'alias')).toBe(
      `sys/sync/destinations/${alias}/some`,
    );
  });

  test('a secret is copied, and removed', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ password: 'the value on the shelf' });
    expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
    const values = () => [...service.fake(type).objects().values()].map(({ value }) => value);
    expect(values()).toEqual(['{"password":"the value on the shelf"}']);
    expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    expect(values()).toEqual([]);
  });
});
