import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Described } from '../described.ts';

export const chartFolder = 'infra/helm/keyferry';

/** The head of the chart. Chart and application are released together, so both have the version of the package. */
export async function chartHead(root: string): Promise<string> {
  const { version, description, license }: { version: string; description: string; license: string } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  return `# Written by "npm run generate" from package.json.
apiVersion: v2
name: keyferry
description: ${description}
type: application
version: ${version}
appVersion: "${version}"
kubeVersion: ">=1.25.0-0"
annotations:
  licenses: ${license}
`;
}

/** The workers in the values. */
export const chartWorkers = (types: readonly Described[]): string =>
  types.map(({ type }) => `  ${type}: {}`).join('\n');
