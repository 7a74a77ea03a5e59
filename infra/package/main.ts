import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadFacts } from '#destinations/load.ts';
import { serverlessParts } from '../aws/parts.ts';
import { root } from './bundle.ts';
import { type PackagedFunction, packageFunctions } from './functions.ts';
import { foreignParts } from './sdk.ts';

/** `npm run package`: bundles and packs the functions, and creates the CloudFormation template. It needs neither a login nor the network. */
const stage = process.argv[2] ?? 'dev';
const kilobyte = 1_024;

const functions = await packageFunctions();
for (const one of functions) process.stdout.write(`${lineOf(one)}\n`);
const foreign = foreignParts(functions);
if (foreign.length > 0) throw new Error(foreign.join('\n'));
process.stdout.write('no bundle contains the SDK or the driver of another type\n');
const assuming = new Set<string>();
for (const { type } of functions)
  if (type !== undefined && (await loadFacts(type)).assumesRoles === true) assuming.add(type);
const parts = serverlessParts(
  functions.map(({ name }) => name),
  assuming,
);
const partsFile = join(root, '.build/aws/parts.json');
await mkdir(dirname(partsFile), { recursive: true });
await writeFile(partsFile, `${JSON.stringify(parts, undefined, 2)}\n`);
await osls('package', '--stage', stage, '--package', '.build/serverless');

function lineOf({ name, bytes, zipBytes }: PackagedFunction): string {
  const size = (count: number) => `${Math.ceil(count / kilobyte)} kB`.padStart(8);
  return `${name.padEnd(26)} ${size(bytes)}, packed ${size(zipBytes)}`;
}

async function osls(...args: readonly string[]): Promise<void> {
  const program = join(root, 'node_modules/osls/bin/serverless.js');
  // Disables its check for updates and its usage reports.
  const env = { ...process.env, SLS_TRACKING_DISABLED: '1', SLS_NOTIFICATIONS_MODE: 'off' };
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: 'inherit' });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) process.exit(1);
}
