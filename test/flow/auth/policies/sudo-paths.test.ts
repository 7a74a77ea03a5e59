import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { holderOf } from '#test/support/flow/holders.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const page = new URL('../../../../docs/access/tokens-and-policies.md', import.meta.url);

type Described = Readonly<Record<string, { readonly 'x-service-sudo'?: boolean }>>;
const verbs = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

test('the documentation lists every path that needs sudo', async () => {
  const { body } = await service.ask('GET', 'sys/internal/specs/openapi');
  const described = Object.entries(body['paths'] as Readonly<Record<string, Described>>).flatMap(([path, operations]) =>
    Object.entries(verbs).flatMap(([verb, request]) =>
      operations[verb]?.['x-service-sudo'] === true ? [`${request} ${plain(path.slice(1))}`] : [],
    ),
  );
  const [, part = ''] = /generated: sudo paths[^\n]*\n(.*?)<!-- end/s.exec(await readFile(page, 'utf8')) ?? [];
  const documented = [...part.matchAll(/^\| `([^`]+)` \| ([A-Z, ]+) \|$/gm)].flatMap(([, path = '', requests = '']) =>
    isAttempt(path)
      ? []
      : requests.split(', ').map((request) => `${request === 'LIST' ? 'GET' : request} ${plain(path)}`),
  );
  expect(documented.length).toBeGreaterThan(30);
  expect(new Set(documented)).toEqual(new Set(described));
});

/** Parameters without names, which differ between the OpenAPI document and the pattern of a row. */
const plain = (path: string): string => path.replace(/\/$/, '').replaceAll(/[<{]\w+[>}]/g, '*');

/** Paths that need sudo only if a setting requires a token. */
const isAttempt = (path: string): boolean => /^sys\/(generate-root|rekey)/.test(path);

test('listing auth methods needs no sudo, and changing one does', async () => {
  const { ask } = await holderOf(service, 'path "sys/auth" { policy = "read" } path "sys/auth/*" { policy = "write" }');
  expect((await ask('GET', 'sys/auth')).status).toBe(200);
  expect((await ask('GET', 'sys/auth/token')).status).toBe(403);
  expect((await ask('POST', 'sys/auth/x', { type: 'userpass' })).status).toBe(403);
});
