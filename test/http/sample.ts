import type { Auditor } from '../../lib/audit/contract.ts';
import type { Gatekeeper, Need } from '../../lib/auth/contract.ts';
import { noAddresses } from '../../lib/core/address-list.ts';
import type { Log } from '../../lib/core/log.ts';
import { rootNamespace } from '../../lib/core/namespace.ts';
import { Secret } from '../../lib/core/secret.ts';
import type { HttpParts } from '../../lib/http/secrets/parts.ts';
import type { Mount, RequestMounts } from '../../lib/path/contract/mount.ts';
import type { Caller } from '../../lib/path/contract/request.ts';
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
  };
}

/** A log that keeps its lines. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

/** As when no audit device is enabled. */
export const noDevices: Auditor = { idle: true, begin: async () => undefined, refused: async () => {} };

export function sampleParts(changes: Partial<HttpParts> = {}): HttpParts {
  return {
    engines: [plainEngine(), versionedEngine(), systemEngine()],
    mounts: mountTable([
      mount('secret/', 'kv', { version: '1' }),
      mount('versioned/', 'kv', { version: '2' }),
      mount('team/secret/', 'kv', { version: '1' }),
      mount('odd/', 'unknown'),
      mount('sys/', 'system'),
    ]),
    gatekeeper: fakeGatekeeper(),
    state: () => 'ready',
    log: keptLog(),
    auditor: noDevices,
    clock: { now: () => new Date(0) },
    trustedProxies: noAddresses,
    bodyLimitBytes: 1024 * 1024,
    largeBodiesBytesMax: 48 * 1024 * 1024,
    requestTimeoutMs: 10_000,
    ...changes,
  };
}
