import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Operation } from '#client/operation.ts';
import { auth } from '#client/operations/auth.ts';
import { identity } from '#client/operations/identity.ts';
import { kv1, kv2 } from '#client/operations/kv.ts';
import { notices } from '#client/operations/notices.ts';
import { leaseCounts, rateLimits } from '#client/operations/quotas.ts';
import { recoveryRekey, rekey } from '#client/operations/rekey.ts';
import { specs } from '#client/operations/specs.ts';
import { sync } from '#client/operations/sync.ts';
import { system } from '#client/operations/system.ts';
import { runs, states, teamAccess, variables, workspaces } from '#client/operations/workspaces.ts';
import { serviceOf } from '../support/flow/open-service.ts';

const service = serviceOf([]);

const fields = z.object({ properties: z.record(z.string(), z.unknown()).default({}) });
const described = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: fields.default({ properties: {} }) })) })
    .optional(),
});
const openApi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
type Document = z.output<typeof openApi>;
const documents = new Map<'v1' | 'v2', Document>();

/** Where the operations with a free mount are in this service. */
const mounts: Readonly<Record<string, string>> = {
  loginUserpass: 'userpass',
  loginApprole: 'approle',
  loginJwt: 'jwt',
  beginOidc: 'jwt',
  completeOidc: 'jwt',
  postOidc: 'jwt',
  pollOidc: 'jwt',
};

beforeAll(async () => {
  for (const type of ['userpass', 'approle', 'jwt']) await service.api.write(`sys/auth/${type}`, { type });
  await service.api.write('sys/mounts/plain', { type: 'kv', options: { version: '1' } });
  const { body } = await service.ask('GET', 'sys/internal/specs/openapi');
  documents.set('v1', openApi.parse(body));
  const reply = await fetch(`${service.address}/api/v2/openapi.json`);
  documents.set('v2', openApi.parse(await reply.json()));
});

/** Names of parameters do not matter, and a list may have a path of its own. */
const shape = (path: string): string => path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

function problemsOf(name: string, operation: Operation, mount: string, document: Document): readonly string[] {
  const root = operation.service === 'v2' ? '/api/v2/' : '/';
  const path = shape(`${root}${operation.path.replace('{mount}', mount)}`);
  // The fields of a destination depend on its type, so each type has a path of its own too.
  const ofType = path.replace('destinations/{}/{}', 'destinations/cloud-a-sm/{}');
  const verb = operation.method === 'LIST' ? 'get' : operation.method.toLowerCase();
  const found = Object.entries(document.paths).flatMap(([at, item]) =>
    [path, ofType].includes(shape(at)) && verb in item ? [described.parse(item[verb])] : [],
  );
  if (found.length === 0) return [`${name}: there is no ${operation.method} ${path}`];
  const known = new Set(
    found.flatMap(({ parameters, requestBody }) => [
      ...parameters.map((one) => one.name),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties)),
    ]),
  );
  return (operation.fields ?? []).filter((field) => !known.has(field)).map((field) => `${name}: no field ${field}`);
}

test.each([
  ['auth', auth, ''],
  ['identity', identity, ''],
  ['system', system, ''],
  ['rate limits', rateLimits, ''],
  ['lease counts', leaseCounts, ''],
  ['key shares', rekey, ''],
  ['recovery keys', recoveryRekey, ''],
  ['sync', sync, ''],
  ['notices', notices, ''],
  ['KV version 2', kv2, 'secret'],
  ['KV version 1', kv1, 'plain'],
  ['the documents', specs, ''],
  ['workspaces', workspaces, ''],
  ['runs', runs, ''],
  ['states', states, ''],
  ['variables', variables, ''],
  ['the access of teams', teamAccess, ''],
])('every request of the client about %s is in the OpenAPI document, with its fields', (_what, group, mount) => {
  const all = Object.entries<Operation>(group);
  expect(all.length).toBeGreaterThan(1);
  const problems = all.flatMap(([name, operation]) => {
    const document = documents.get(operation.service ?? 'v1');
    return document === undefined ? ['no document'] : problemsOf(name, operation, mounts[name] ?? mount, document);
  });
  expect(problems).toEqual([]);
});

test('a request that the server does not have is found, and so is a field', () => {
  const document = documents.get('v1') ?? { paths: {} };
  expect(problemsOf('one', { method: 'GET', path: 'sys/nothing' }, '', document)).toHaveLength(1);
  expect(problemsOf('one', { method: 'POST', path: 'sys/unseal', fields: ['keys'] }, '', document)).toEqual([
    'one: no field keys',
  ]);
});
