import type { OpenDriver } from './contract.ts';
import type { DestinationFacts } from './facts.ts';
import type { StartFake } from './fake.ts';
import { definitions } from './index.ts';

/**
 * The driver of a type, for processes that serve several types. A function of one type imports its driver by name.
 * @throws Error when there is no such type
 */
export async function loadDriver(type: string): Promise<OpenDriver> {
  const { openDriver }: { readonly openDriver: OpenDriver } = await import(addressOf(type, 'driver.ts'));
  return openDriver;
}

/**
 * The stand-in of a type.
 * @throws Error when there is no such type
 */
export async function loadFake(type: string): Promise<StartFake> {
  const { startFake }: { readonly startFake: StartFake } = await import(addressOf(type, 'fake/index.ts'));
  return startFake;
}

/**
 * What tools and tests must know about a type.
 * @throws Error when there is no such type
 */
export async function loadFacts(type: string): Promise<DestinationFacts> {
  const { facts }: { readonly facts: DestinationFacts } = await import(addressOf(type, 'facts.ts'));
  return facts;
}

// Trap: for import(`./${type}/driver.ts`) a bundler includes every matching file, and with them every SDK. It does not follow a
// full URL.
function addressOf(type: string, file: string): string {
  const known = definitions.find((definition) => definition.type === type);
  if (known !== undefined) return new URL(`${known.type}/${file}`, import.meta.url).href;
  const types = definitions.map((definition) => definition.type).join(', ');
  throw new Error(`no destination type ${JSON.stringify(type)}: there are ${types}`);
}
