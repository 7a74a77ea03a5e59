import { expect, test } from 'vitest';
import { definitions } from '../../lib/destinations/index.ts';
import { canonicalType, typeName } from '../../lib/path/vocabulary.ts';

test.each(definitions.map(({ type, alias }) => [type, alias]))(
  'the alias of %s is %s in the table of names too',
  (type, alias) => {
    expect(typeName(type, 'alias')).toBe(alias);
    expect(canonicalType(alias)).toBe(type);
  },
);
