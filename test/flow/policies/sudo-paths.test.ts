import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { holderOf } from '../../support/flow/holders.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([]);
const page = new URL('../../../docs/tokens-and-policies.md', import.meta.url);

type Described = Readonly<Record<string, { readonly 'x-service-sudo'?: boolean }>>;
const verbs = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

test('the documentation lists every path that wants sudo, as the service itself describes them', async () => {
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

/** Parameters by no name, since the document of the service and the pattern of a row may call them otherwise. */
const plain = (path: string): string => path.replace(/\/$/, '').replaceAll(/[<{]\w+[>}]/g, '*');

/** They want sudo only where a setting says that they need a token at all. */
const isAttempt = (path: string): boolean => /^sys\/(generate-root|rekey)/.test(path);

test('the list of auth methods wants no sudo, and what changes one does', async () => {
  const { ask } = await holderOf(service, 'path "sys/auth" { policy = "read" } path "sys/auth/*" { policy = "write" }');
  expect((await ask('GET', 'sys/auth')).status).toBe(200);
  expect((await ask('GET', 'sys/auth/token')).status).toBe(403);
  expect((await ask('POST', 'sys/auth/x', { type: 'userpass' })).status).toBe(403);
});
