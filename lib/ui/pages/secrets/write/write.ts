import { kv1, kv2 } from '#client/operations/kv.ts';
import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { textsOf } from '#client/wire/json.ts';
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
 * Returns why nothing was written; empty when it was.
 * @throws CallFailure
 */
export async function write(target: Target, pairs: readonly Pair[], known: readonly string[]): Promise<string> {
  const { mount, path, isStored } = target;
  const obstacle = isStored || mount.hasVersions ? '' : await obstacleAt(mount.path, path);
  if (obstacle !== '') return obstacle;
  try {
    await send(target, pairs, known);
  } catch (cause) {
    if (!isStored && cause instanceof CallFailure && cause.message.includes(casMismatch)) return existsText(path);
    throw cause;
  }
  return '';
}

async function send({ mount, path, isStored, keepsOthers }: Target, pairs: readonly Pair[], known: readonly string[]) {
  const whole = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
  const at = { mount: mount.path, path };
  if (!mount.hasVersions) await api.call(kv1.write, at, whole);
  else if (keepsOthers) {
    const data = patchOf(pairs, known);
    if (Object.keys(data).length > 0) await api.call(kv2.patch, at, { data });
  } else await api.call(kv2.write, at, { data: whole, ...(isStored ? {} : { options: { cas: 0 } }) });
}

/** How the server says that there is a version already. */
const casMismatch = 'did not match the current version';

const existsText = (path: string): string => `${path} exists already. Open it to change it, or choose another path.`;

/**
 * Why a new secret of KV 1 may not be written: a write there replaces what it finds, and has no condition that the server checks.
 * @throws CallFailure
 */
async function obstacleAt(mount: string, path: string): Promise<string> {
  const status = await api.call(kv1.read, { mount, path }).then(
    () => 200,
    (cause: unknown) => {
      if (cause instanceof CallFailure && [403, 404].includes(cause.status)) return cause.status;
      throw cause;
    },
  );
  if (status === 404) return '';
  if (status === 200) return existsText(path);
  // Without the right to update, the server itself refuses a write over a secret that exists.
  const whole = `${mount}/${path}`;
  const { data } = await api.call(system.capabilities, {}, { paths: [whole] });
  if (!textsOf(data, whole).some((held) => held === 'update' || held === 'root')) return '';
  return `${path} may exist already and would be replaced. To see whether it does, you need "read" on ${whole}.`;
}
