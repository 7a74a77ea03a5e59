import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { root } from '../bundle.ts';

/** Larger bundles start slowly, and the usual cause is a package that was imported by mistake. */
export const programBytesMax = 250 * 1_024;

/** Bundles the program `keyferry` with everything it imports, for Node 20 and later. Returns the size. */
export async function bundleProgram(file: string): Promise<number> {
  const { metafile } = await build({
    entryPoints: ['infra/commands/keyferry.ts'],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    // Starts faster than ES modules. Modules that are imported on demand still run on demand.
    format: 'cjs',
    // Modules of Node that are imported on demand are required, so that Node's loader of ES modules is not started for them.
    supported: { 'dynamic-import': false },
    banner: { js: '#!/usr/bin/env node' },
    legalComments: 'none',
    plugins: [onlyVersion, noPrograms],
    // The build of the package with modules, of which only the writer is bundled.
    alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
    outfile: file,
    logLevel: 'error',
  });
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  if (bytes > programBytesMax) throw new Error(`the program has ${bytes} bytes: at most ${programBytesMax}`);
  return bytes;
}

/** The program shows the version of the manifest, and needs nothing else of it. */
const onlyVersion: Plugin = {
  name: 'only-version',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { readonly version?: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** The parser of the command line can start other programs, which this one has none of, and loads what that takes at once. */
const noPrograms: Plugin = {
  name: 'no-programs',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /[/\\]node_modules[/\\]commander[/\\]/.test(importer) ? { path, namespace: 'absent' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export default {}' }));
  },
};
