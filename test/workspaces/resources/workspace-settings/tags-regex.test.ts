import { expect, test } from 'vitest';
import { isRegularExpression } from '#workspaces/resources/workspace-settings/vcs-repo.ts';

test.each(['^v\\d+\\.\\d+\\.\\d+$', '(?i)release', '(?P<major>\\d+)\\..*', '\\Av\\d+\\z', '(?>a+)b', '(a+)+$', ''])(
  '%s is a valid regular expression',
  (text) => expect(isRegularExpression(text)).toBe(true),
);

test.each(['(', 'a)', '[z-a]', '*', 'a{2,1}', '(?<x', '(?i'])('%s is invalid', (text) =>
  expect(isRegularExpression(text)).toBe(false),
);
