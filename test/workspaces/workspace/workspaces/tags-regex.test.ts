import { expect, test } from 'vitest';
import { isRegularExpression } from '../../../../lib/workspaces/workspace/workspaces/settings/tags-regex.ts';

test.each(['^v\\d+\\.\\d+\\.\\d+$', '(?i)release', '(?P<major>\\d+)\\..*', '\\Av\\d+\\z', '(?>a+)b', '(a+)+$', ''])(
  '%s is a regular expression of the family',
  (text) => expect(isRegularExpression(text)).toBe(true),
);

test.each(['(', 'a)', '[z-a]', '*', 'a{2,1}', '(?<x', '(?i'])('%s is none', (text) =>
  expect(isRegularExpression(text)).toBe(false),
);
