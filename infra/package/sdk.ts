import { loadFacts } from '../../lib/destinations/load.ts';

/** The npm packages that the destination of this type brings; none where there is no type. */
export async function sdkOf(type: string | undefined): Promise<ReadonlySet<string>> {
  return new Set(type === undefined ? [] : (await loadFacts(type)).packages);
}

/** What is asked of a function's bundle. */
export interface Held {
  readonly name: string;
  /** What it syncs to; undefined: it is no worker. */
  readonly type: string | undefined;
  readonly sdk: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
}

/** Which bundles hold the SDK or the driver of another type, as texts. `shared` is what every bundle may hold. */
export function foreignParts(functions: readonly Held[]): readonly string[] {
  const shared = sharedPackages(functions);
  return functions.flatMap((one) =>
    functions.flatMap(({ type, sdk }) => {
      if (type === undefined || type === one.type) return [];
      const packages = [...sdk].filter((name) => !shared.has(name) && !one.sdk.has(name) && one.packages.has(name));
      const driver = `lib/destinations/${type}/driver.ts`;
      const parts = one.inputs.has(driver) ? [...packages, driver] : packages;
      return parts.map((part) => `${one.name} holds ${part} of ${type}`);
    }),
  );
}

/** What functions hold that are no workers: it comes from elsewhere than a destination. */
function sharedPackages(functions: readonly Held[]): ReadonlySet<string> {
  return new Set(functions.filter(({ type }) => type === undefined).flatMap(({ packages }) => [...packages]));
}
