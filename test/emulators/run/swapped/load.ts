import { inject } from 'vitest';
import type { StartFake } from '#destinations/fake.ts';
import { loadFake as loadOwn } from '#destinations/load.ts';

export { loadDriver } from '#destinations/load.ts';

/** The emulator of the trial, if it has one, instead of our stand-in. */
export async function loadFake(type: string): Promise<StartFake> {
  const { standIn } = inject('trial');
  if (standIn === undefined) return loadOwn(type);
  const { startFake }: { readonly startFake: StartFake } = await import(standIn);
  return startFake;
}
