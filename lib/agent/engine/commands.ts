import type { Material } from '../api/material.ts';

/** The file of the plan, in the folder where the engine runs. */
export const planFile = 'keyferry.tfplan';
/** The configuration that a plan writes for resources that it imports. */
const generatedFile = 'keyferry_generated.tf';

const common = ['-input=false', '-no-color'];

export const initCommand = (): readonly string[] => ['init', ...common];

/** Exit code 2 says that there are changes. */
export const planCommand = (material: Material, variableFiles: readonly string[]): readonly string[] => [
  'plan',
  ...common,
  '-detailed-exitcode',
  ...structured(material),
  `-out=${planFile}`,
  ...(material['is-destroy'] ? ['-destroy'] : []),
  ...(material['refresh-only'] ? ['-refresh-only'] : []),
  ...(material.refresh ? [] : ['-refresh=false']),
  ...(material['allow-config-generation'] ? [`-generate-config-out=${generatedFile}`] : []),
  ...material['target-addrs'].map((address) => `-target=${address}`),
  ...material['replace-addrs'].map((address) => `-replace=${address}`),
  ...variableFiles.map((file) => `-var-file=${file}`),
];

export const showCommand = (): readonly string[] => ['show', '-json', '-no-color', planFile];

/** The providers' schemas, by which a command line shows a plan in JSON. */
export const schemaCommand = (): readonly string[] => ['providers', 'schema', '-json'];

export const applyCommand = (material: Material): readonly string[] => [
  'apply',
  ...common,
  '-auto-approve',
  ...structured(material),
  planFile,
];

/** Lines of JSON, which the command line of the family shows as text. */
const structured = (material: Material): readonly string[] =>
  material['structured-run-output-enabled'] ? ['-json'] : [];
