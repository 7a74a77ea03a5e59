import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { root } from '../bundle.ts';

/** Larger bundles start slowly, and the usual cause is a package that was imported by mistake. */
export const programBytesMax = 250 * 1_024;

/** The file of the program, which the first one loads once it has turned on the cache of what was compiled. */
export const programFile = 'keyferry-program.cjs';
/** The file of the agent, beside the program. */
export const agentFile = 'keyferry-agent.cjs';
const agentModule = 'infra/process/agent.ts';
/** An agent has its own limit: it starts once, and stays. */
export const agentBytesMax = 1_024 * 1_024;

/**
 * Bundles the program `keyferry` with everything it imports, for Node 20 and later: `file` starts it, its code is beside that, and so is the
 * agent, which only the command `agent` loads. Returns the size of the program, with its start.
 */
export async function bundleProgram(file: string): Promise<number> {
  const beside = (name: string) => join(dirname(file), name);
  const [startBytes, codeBytes, agentBytes] = await Promise.all([
    bundled({
      entryPoints: ['infra/package/command-line/start.ts'],
      banner: { js: '#!/usr/bin/env node' },
      plugins: [apart(/\/commands\/keyferry\.ts$/, programFile)],
      outfile: file,
    }),
    bundled({
      entryPoints: ['infra/commands/keyferry.ts'],
      plugins: [onlyVersion, noPrograms, apart(/\/process\/agent\.ts$/, agentFile)],
      outfile: beside(programFile),
    }),
    bundled({ entryPoints: [agentModule], plugins: [onlyVersion], outfile: beside(agentFile) }),
  ]);
  const bytes = startBytes + codeBytes;
  if (bytes > programBytesMax) throw new Error(`the program has ${bytes} bytes: at most ${programBytesMax}`);
  if (agentBytes > agentBytesMax) throw new Error(`the agent has ${agentBytes} bytes: at most ${agentBytesMax}`);
  return bytes;
}

async function bundled(options: BuildOptions): Promise<number> {
  const { metafile } = await build({
    ...options,
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
    legalComments: 'none',
    // The build of the package with modules, of which only the writer is bundled.
    alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
    logLevel: 'error',
  });
  return Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
}

/** Leaves a module that is imported on demand out of a bundle, and loads it from the file beside it. */
const apart = (imported: RegExp, file: string): Plugin => ({
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: imported }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: `./${file}`, external: true },
    );
  },
});

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
