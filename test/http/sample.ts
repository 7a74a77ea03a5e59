import type { Auditor } from '#audit/contract.ts';
import type { Gatekeeper, Need } from '#auth/contract.ts';
import { noAddresses } from '#core/address-list.ts';
import type { Log } from '#core/log/log.ts';
import { rootNamespace } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import { openInFlight } from '#http/server/observe/in-flight.ts';
import { noTelemetry } from '#http/server/observe/telemetry.ts';
import type { ServerParts } from '#http/server/parts.ts';
import { createServer, type HttpServer } from '#http/server/server.ts';
import type { V1Parts } from '#http/v1/parts.ts';
import { secretsService } from '#http/v1/service.ts';
import type { Mount, NamespaceFinder, RequestMounts } from '#path/contract/mount.ts';
import type { Caller } from '#path/contract/request.ts';
import { allTypeNames } from '../support/type-names.ts';
import { plainEngine, versionedEngine } from './sample-secrets.ts';
import { systemEngine } from './sample-system.ts';

const caller = (accessor: string, root: boolean): Caller => ({
  token: new Secret(accessor),
  namespace: rootNamespace,
  accessor,
  policies: [root ? 'root' : 'default'],
  displayName: accessor,
  entityId: '',
  root,
  tokenType: 'service',
});

/** Knows the tokens `root` and `reader`; the reader may read below `secret/open/` and `sys/sync/`. */
export function fakeGatekeeper(): Gatekeeper & { readonly needs: Need[] } {
  const needs: Need[] = [];
  return {
    needs,
    async authenticate(token) {
      if (token.reveal() === 'root') return caller('root', true);
      return token.reveal() === 'reader' ? caller('reader', false) : 'invalid';
    },
    async authorise(who, need) {
      needs.push(need);
      const open = need.path.startsWith('secret/open/') || need.path.startsWith('sys/');
      if (who.root || (open && !need.sudo)) return { allowed: true, sudo: who.root, mfaMethods: [], grantedBy: [] };
      return { allowed: false, why: 'the reader may not' };
    },
    reaches: async (who) => who.root,
    mayEnter: async (who) => who.root,
  };
}

export function mount(path: string, type: string, options: Mount['options'] = null): Mount {
  return {
    id: path,
    path,
    type,
    accessor: `${type}_00000000`,
    uuid: path,
    description: '',
    options,
    config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
    local: false,
    sealWrap: false,
  };
}

export function mountTable(mounts: readonly Mount[]): RequestMounts {
  return {
    resolve: async (path) => mounts.find((one) => `${path}/`.startsWith(one.path)),
    askStore: async () => {},
    state: () => undefined,
  };
}

/** Knows only the root namespace. */
const rootOnly: NamespaceFinder = {
  async locate(header, path) {
    return { namespace: { ...rootNamespace, lockedBy: undefined, isEnding: false }, path: header + path };
  },
  async refresh() {},
};

/** A log that keeps its lines. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

/** Acts as if no audit device were enabled. */
export const noDevices: Auditor = { idle: true, begin: async () => undefined, refused: async () => {} };

export type SampleParts = V1Parts & Omit<ServerParts, 'services'>;

/** A server with only the secrets API, composed of the sample's parts. */
export function sampleServer(changes: Partial<SampleParts> = {}): HttpServer {
  const parts = sampleParts(changes);
  return createServer({ ...parts, services: [secretsService(parts)] });
}

export function sampleParts(changes: Partial<SampleParts> = {}): SampleParts {
  return {
    engines: [plainEngine(), versionedEngine(), systemEngine()],
    mounts: mountTable([
      mount('secret/', 'kv', { version: '1' }),
      mount('versioned/', 'kv', { version: '2' }),
      mount('team/secret/', 'kv', { version: '1' }),
      mount('odd/', 'unknown'),
      mount('sys/', 'system'),
    ]),
    typeNames: allTypeNames,
    namespaces: rootOnly,
    administrativeNamespace: undefined,
    gatekeeper: fakeGatekeeper(),
    state: () => 'ready',
    log: keptLog(),
    auditor: noDevices,
    telemetry: noTelemetry,
    inFlight: openInFlight(() => new Date(0)),
    accessLogLevel: 'debug',
    trustedProxies: noAddresses,
    bodyLimitBytes: 1024 * 1024,
    largeBodiesBytesMax: 48 * 1024 * 1024,
    requestTimeoutMs: 10_000,
    stages: [],
    crossOrigin: async () => undefined,
    requestHeaderRequired: false,
    ...changes,
  };
}
