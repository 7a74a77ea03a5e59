import { expect, test } from 'vitest';
import { grantsBelow } from '#ui/state/grants.ts';

const create = { capabilities: ['create', 'update'] };
const below = 'sys/sync/destinations/';

test.each([
  ['all paths', { glob_paths: { '': create } }, true],
  ['a beginning of the path', { glob_paths: { 'sys/sy': create } }, true],
  ['the path itself', { glob_paths: { 'sys/sync/destinations/': create } }, true],
  ['a name of one type', { exact_paths: { 'sys/sync/destinations/cloud-a-sm/prod': create } }, true],
  ['names of one type that begin so', { glob_paths: { 'sys/sync/destinations/cloud-a-sm/team-': create } }, true],
  ['any type, by a placeholder', { exact_paths: { 'sys/+/destinations/+/prod': create } }, true],
  ['another path', { glob_paths: { 'sys/sync/records': create, 'secret/': create } }, false],
  ['only the path above', { exact_paths: { 'sys/sync/destinations': create } }, false],
  ['another capability', { glob_paths: { 'sys/sync/destinations/': { capabilities: ['read'] } } }, false],
  ['nothing', {}, false],
])('a rule on %s', (_what, acl, isGranted) => {
  expect(grantsBelow({ root: false, exact_paths: {}, glob_paths: {}, ...acl }, below, 'create')).toBe(isGranted);
});

test('a root token may do everything', () => {
  expect(grantsBelow({ root: true, exact_paths: {}, glob_paths: {} }, below, 'create')).toBe(true);
});
