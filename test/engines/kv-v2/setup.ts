import { kvV2 } from '../../../lib/engines/kv-v2/index.ts';
import { calling, engineParts, existence, mounted } from '../setup.ts';

/** A kv mount of version 2 with nothing in it. */
export async function kv(poolSize?: number) {
  const setup = await engineParts(poolSize);
  const mount = await mounted(setup.mounts, 'secret/', { version: '2' });
  const { engine, current } = kvV2(setup.parts);
  return {
    ...setup,
    mount,
    engine,
    current: (name: string) => current(mount.id, name),
    call: calling(engine, mount),
    exists: (pattern: string, path: string) => existence(engine, mount, pattern, path),
  };
}
