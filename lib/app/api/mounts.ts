import { identityTokens } from '#auth/identity/oidc/rows/index.ts';
import { identityEngine } from '#auth/identity/rows/index.ts';
import { secondFactors } from '#auth/mfa/secrets/merge.ts';
import { hashToken } from '#auth/token/find/store.ts';
import { takeReply } from '#auth/wrapping/take.ts';
import { definitions } from '#destinations/index.ts';
import { cubbyhole } from '#engines/cubbyhole/index.ts';
import { engines } from '#engines/index.ts';
import { openEngines } from '#engines/list.ts';
import type { CopiedMounts } from '#mounts/contract/mounts.ts';
import { alwaysMounted } from '#mounts/record.ts';
import { openMountTable } from '#mounts/table.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Mount } from '#path/contract/mount.ts';
import { copiesOf } from '#sync/rows/records/copies.ts';
import type { Base } from './base.ts';
import type { Callers } from './callers.ts';
import { systemAlways } from './system-rows.ts';

/** The engines of everything that is mounted, except `sys/` itself. */
export function openMounted({ config, shared }: Base, callers: Callers, mounts: () => CopiedMounts): readonly Engine[] {
  const { store, changed } = shared;
  return [
    ...callers.engines,
    ...openEngines(engines, {
      store,
      changed,
      secretBytesMax: config.KEYFERRY_BODY_BYTES_MAX,
      copiesOf: (mountId, secretName, context) => copiesOf({ store, definitions }, mountId, secretName, context),
    }),
    cubbyhole({
      store,
      hashOf: (token) => hashToken(store.barrier, token),
      takeReply: async (token) => (await takeReply(store, store.db, token)).text,
    }),
    identityEngine({
      store,
      mountsOf: async (namespace) => byAccessor(await mounts().in(namespace).list()),
      secondFactors: secondFactors(store),
    }),
    callers.mfa.identity,
    identityTokens({ store, factsOf: callers.factsOf, publicUrl: config.KEYFERRY_PUBLIC_URL }),
  ];
}

const byAccessor = (mounts: readonly Mount[]): ReadonlyMap<string, Mount> =>
  new Map(mounts.map((mount) => [mount.accessor, mount]));

/** The mount table, with `sys/` and the other mounts that every namespace has. */
export const openMounts = ({ shared }: Base, callers: Callers, mounted: readonly Engine[]): CopiedMounts =>
  openMountTable({
    store: shared.store,
    engines: [...engines, ...callers.enabled],
    fixed: alwaysMounted([{ ...systemAlways, rows: [] }, ...mounted]),
  });
