import { join } from 'node:path';
import { bundle, type Bundle as Program } from '../package/bundle.ts';
import { sdkOf } from '../package/sdk.ts';

/** A worker function in one file. */
export interface Bundle extends Program {
  /** npm packages that this type brings. */
  readonly sdk: ReadonlySet<string>;
}

/**
 * Bundles the worker of one type, or of none: the composition root and that type's driver. It starts, reports by one line of
 * JSON how long that took in milliseconds since Node's own start, and ends.
 */
export async function bundleWorker(type: string | undefined, folder: string): Promise<Bundle> {
  const source = { contents: entry(type), sourcefile: 'worker.ts', loader: 'ts' } as const;
  const program = await bundle(source, join(folder, `worker-${type ?? 'none'}.cjs`));
  return { ...program, sdk: await sdkOf(type) };
}

function entry(type: string | undefined): string {
  const driver =
    type === undefined
      ? ''
      : `import { definition } from './lib/destinations/${type}/index.ts';
         import { openDriver } from './lib/destinations/${type}/driver.ts';`;
  return `
    import { openWorkers } from './lib/app.ts';
    import { readConfig } from './lib/core/config.ts';
    import { silentLog } from './lib/core/log.ts';
    ${driver}
    const { bootstrapComplete } = performance.nodeTiming;
    const imported = performance.now() - bootstrapComplete;
    async function start() {
      const destinations = [${type === undefined ? '' : '{ definition, openDriver }'}];
      await openWorkers({ config: readConfig(), log: silentLog }, destinations);
      const ready = performance.now() - bootstrapComplete;
      process.stdout.write(JSON.stringify({ imported, ready }) + '\\n', () => process.exit(0));
    }
    void start();`;
}
