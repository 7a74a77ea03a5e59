import { type Bundle, packageOf } from './bundle.ts';

/** The npm packages that files below `lib/destinations/<type>/` import themselves. */
export function sdkOf({ metafile }: Bundle, type: string | undefined): ReadonlySet<string> {
  const own = Object.entries(metafile.inputs).filter(([path]) => path.startsWith(`lib/destinations/${type}/`));
  return new Set(own.flatMap(([, input]) => input.imports.flatMap(({ path }) => packageOf(path) ?? [])));
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
