import { loadFacts } from '#destinations/load.ts';

/** The npm packages of the destination of this type; none without a type. */
export async function sdkOf(type: string | undefined): Promise<ReadonlySet<string>> {
  return new Set(type === undefined ? [] : (await loadFacts(type)).packages);
}

/** The properties of a function's bundle that are checked. */
export interface Held {
  readonly name: string;
  /** The destination type of a worker; undefined for other functions. */
  readonly type: string | undefined;
  readonly sdk: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
}

/** Lists the bundles with the SDK or the driver of another type, as texts. `shared` are packages that every bundle may contain. */
export function foreignParts(functions: readonly Held[]): readonly string[] {
  const shared = sharedPackages(functions);
  return functions.flatMap((one) =>
    functions.flatMap(({ type, sdk }) => {
      if (type === undefined || type === one.type) return [];
      const packages = [...sdk].filter((name) => !shared.has(name) && !one.sdk.has(name) && one.packages.has(name));
      const driver = `lib/destinations/${type}/driver.ts`;
      const parts = one.inputs.has(driver) ? [...packages, driver] : packages;
      return parts.map((part) => `${one.name} contains ${part} of ${type}`);
    }),
  );
}

/** Packages of functions other than workers: no destination brought them. */
function sharedPackages(functions: readonly Held[]): ReadonlySet<string> {
  return new Set(functions.filter(({ type }) => type === undefined).flatMap(({ packages }) => [...packages]));
}
