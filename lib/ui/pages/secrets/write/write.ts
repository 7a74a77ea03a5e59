import { kv1, kv2 } from '#client/operations/kv.ts';
import { api } from '#ui/state/api.ts';
import type { SecretMount } from '../address.ts';
import { type Pair, patchOf } from './new-version.ts';

interface Target {
  readonly mount: SecretMount;
  readonly path: string;
  readonly isStored: boolean;
  readonly keepsOthers: boolean;
}

/**
 * Writes a version, unless nothing is changed. A new secret is not written over one that exists.
 * @throws CallFailure
 */
export async function write(
  { mount, path, isStored, keepsOthers }: Target,
  pairs: readonly Pair[],
  known: readonly string[],
): Promise<void> {
  const whole = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
  const at = { mount: mount.path, path };
  if (!mount.hasVersions) await api.call(kv1.write, at, whole);
  else if (keepsOthers) {
    const data = patchOf(pairs, known);
    if (Object.keys(data).length > 0) await api.call(kv2.patch, at, { data });
  } else await api.call(kv2.write, at, { data: whole, ...(isStored ? {} : { options: { cas: 0 } }) });
}
