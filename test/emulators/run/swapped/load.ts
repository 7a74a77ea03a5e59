import { inject } from 'vitest';
import type { StartFake } from '../../../../lib/destinations/fake.ts';
import { loadFake as loadOwn } from '../../../../lib/destinations/load.ts';

export { loadDriver } from '../../../../lib/destinations/load.ts';

/** The emulator instead of our stand-in, where the trial has one. */
export async function loadFake(type: string): Promise<StartFake> {
  const { standIn } = inject('trial');
  if (standIn === undefined) return loadOwn(type);
  const { startFake }: { readonly startFake: StartFake } = await import(standIn);
  return startFake;
}
