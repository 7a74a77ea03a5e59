import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { kvV2 } from '#engines/kv/v2/index.ts';
import type { Verb } from '#path/contract/request.ts';
import { type Call, calling, engineParts, mounted } from '../setup.ts';

let it: Awaited<ReturnType<typeof engineParts>>;
let call: Call;
beforeAll(async () => {
  it = await engineParts();
  call = calling(kvV2.open(it.parts), await mounted(it.mounts, 'problems/', { version: '2' }));
});
afterAll(() => it.store.close());

test.each<[Verb, string, Readonly<Record<string, unknown>>, string]>([
  ['write', 'data/a', {}, 'data'],
  ['write', 'data/a', { data: {}, options: { cas: 7 } }, 'options.cas'],
  ['write', 'data/a', { data: {}, options: { cas: 'x' } }, 'options.cas'],
  ['write', 'delete/a', { versions: [] }, 'versions'],
  ['write', 'metadata/a', { custom_metadata: { '': 'x' } }, 'custom_metadata'],
  ['write', 'metadata/a', { max_versions: 'many' }, 'max_versions'],
])('%s %s with %j is refused at the field %s', async (verb, path, data, field) => {
  const error = await call(verb, path, data).catch((cause: unknown) => cause);
  const problems = error instanceof AppError ? error.problemsIn((word) => word) : [];
  expect(problems.map((problem) => problem.field)).toEqual([field]);
});
