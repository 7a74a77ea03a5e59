import { expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { permissionDenied } from '#core/errors.ts';
import { silentLog } from '#core/log/log.ts';
import { rootNamespace } from '#core/namespace.ts';
import { definitions } from '#destinations/index.ts';
import { readBounds } from '#network/bounds.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { associationChangeRows } from '#sync/rows/associations/rows.ts';
import { testQueue } from '../../queue/queues.ts';
import { testStore } from '../../store/stores.ts';
import { patience } from '../../support/measures/patience.ts';
import { ending } from '../../support/services.ts';

const mount: Mount = {
  id: '00000000-0000-0000-0000-000000000001',
  path: 'path/to/',
  type: 'kv',
  accessor: 'kv_1',
  uuid: '',
  description: '',
  options: { version: '2' },
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
  local: false,
  sealWrap: false,
};

/** A caller that may set associations and read the paths that `mayRead` accepts. */
function contextOf(mayRead: (path: string) => boolean, asked: string[]): RequestContext {
  return {
    requestId: '',
    caller: undefined,
    tokenSent: false,
    sudo: false,
    namespace: rootNamespace,
    connection: { remoteAddress: '', tls: false },
    mount,
    path: '',
    verb: 'write',
    vocabulary: 'canonical',
    headers: {},
    query: new URLSearchParams(),
    signal: AbortSignal.timeout(patience.conditionMs),
    hold() {},
    warn() {},
    async mustBeAllowed(verb, path) {
      asked.push(`${verb} ${path}`);
      if (!mayRead(path)) throw permissionDenied();
    },
    reaches: async () => true,
  };
}

async function setRow() {
  const store = ending(await testStore());
  const secrets: string[] = [];
  const rows = associationChangeRows({
    store,
    queue: await testQueue(),
    asks: { ask: async () => undefined },
    clock: systemClock,
    log: silentLog,
    changed: async () => [],
    marker: { begun: async () => [] },
    definitions,
    mounts: { resolve: async () => mount },
    async currentSecret(_mountId, name) {
      secrets.push(name);
      return undefined;
    },
    secretsBelow: async () => [],
    holdSecrets: async (_tx, _mountId, names) => names,
    describeSecrets: async () => [],
    describeBelow: async () => [],
    readPath: (mount, name) => `${mount.path}data/${name}`,
    syncedMounts: 'KV v2',
    waitMs: 0,
    pollMsMax: 0,
    drainMs: 0,
    networkBounds: readBounds('all'),
    credentialsDir: undefined,
  });
  const operation = rows.find(({ pattern }) => pattern.endsWith('/set'))?.operations.write;
  if (operation === undefined) throw new Error('there is no set');
  return { operation, secrets };
}

const input = { type: 'cloud-a-sm', name: 'x', mount: 'path/to', secret_name: 'my-secret-1', adopt: false };

test('a caller without read access to a secret cannot associate it, nor learn whether it exists', async () => {
  const { operation, secrets } = await setRow();
  const asked: string[] = [];
  await expect(
    operation.run(
      input,
      contextOf(() => false, asked),
    ),
  ).rejects.toMatchObject({
    kind: 'permission-denied',
    messages: ['permission denied to read the content of the secret my-secret-1 in mount path/to'],
  });
  expect(asked).toEqual(['read path/to/data/my-secret-1']);
  expect(secrets).toEqual([]);
});

test('a caller with read access gets as far as the secret', async () => {
  const { operation, secrets } = await setRow();
  await expect(
    operation.run(
      input,
      contextOf(() => true, []),
    ),
  ).rejects.toMatchObject({ kind: 'bad-request' });
  expect(secrets).toEqual(['my-secret-1']);
});
