import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { optionsOf } from '#infra/show/options.ts';
import { findHelm, installHelm } from './program.ts';
import { exampleFile, examples, golden, goldenText, render } from './render.ts';

/**
 * `npm run test:helm`: tests the chart with helm itself. A missing helm is built (about 70 MB, a few minutes); when that fails, the
 * reason is printed. `--write` writes the rendered examples again, `--strict` fails without helm.
 */
const values = optionsOf('helm', {
  write: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
});

const helm =
  findHelm() ??
  (await installHelm().catch((error: Error) => {
    process.stderr.write(`The chart is not rendered: ${error.message.trim().split('\n').at(-1)}\n`);
    process.exit(values.strict ? 1 : 0);
  }));

if (values.write) {
  for (const name of examples) {
    await writeFile(join(golden, `${name}.yaml`), goldenText(name, render(helm, [exampleFile(name)])));
    process.stdout.write(`wrote test/infra/helm/golden/${name}.yaml\n`);
  }
}
const suites = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', 'test/infra/helm'];
const { status } = spawnSync(process.execPath, suites, { stdio: ['ignore', 'inherit', 'inherit'] });
process.exit(status ?? 1);
