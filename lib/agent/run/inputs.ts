import { join } from 'node:path';
import type { Material } from '../api/material.ts';

/** A file that the agent writes for the engine. */
export interface InputFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The files with the variables of the engine, in the order of their precedence. Plain values are in a JSON file, which takes them literally;
 * values in the language of the engine are written as they are. The variables of the run itself come last.
 */
export function variableFiles(
  material: Pick<Material, 'variables' | 'run-variables'>,
  folder: string,
): readonly InputFile[] {
  const own = material.variables.filter(({ category }) => category === 'terraform');
  const plain = Object.fromEntries(own.filter(({ hcl }) => !hcl).map(({ key, value }) => [key, value]));
  const written = (list: readonly { readonly key: string; readonly value: string }[]) =>
    list.map(({ key, value }) => `${key} = ${value}\n`).join('');
  return [
    { path: join(folder, 'plain.tfvars.json'), text: JSON.stringify(plain) },
    { path: join(folder, 'hcl.tfvars'), text: written(own.filter(({ hcl }) => hcl)) },
    { path: join(folder, 'run.tfvars'), text: written(material['run-variables']) },
  ];
}

/** The values that must not be seen in a log. */
export const secretsOf = (material: Material, token: string): readonly string[] => [
  token,
  ...(material['ssh-key'] === null ? [] : [material['ssh-key']]),
  ...material.variables.filter(({ sensitive }) => sensitive).map(({ value }) => value),
  ...material['identity-tokens'].map(({ value }) => value),
];

/** Names of the agent's environment that runs get: where programs are, and the way to the network. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
  .concat(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'])
  .concat(['TF_PLUGIN_CACHE_DIR']);

interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporary: string;
  /** The server, and the token of the run: the engine reads other states with it. */
  readonly address: string;
  readonly token: string;
  readonly sshKeyFile: string | undefined;
  /** An option of `ssh`, as a word of a shell, without which it does not reach its host. */
  readonly sshOption: string | undefined;
  /** The engine's configuration of hosts. */
  readonly hostsFile: string;
}

/** The environment of the engine. */
export function environmentOf(material: Material, around: Surroundings): Readonly<Record<string, string>> {
  const kept = inherited.flatMap((name) => {
    const value = around.environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = material.variables.filter(({ category }) => category === 'env').map(({ key, value }) => [key, value]);
  const { 'organization-name': organization, 'workspace-name': workspace } = material;
  return {
    ...Object.fromEntries(kept),
    HOME: around.home,
    TMPDIR: around.temporary,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    TF_WORKSPACE: 'default',
    CHECKPOINT_DISABLE: '1',
    TFC_RUN_ID: material['run-id'],
    TFC_WORKSPACE_NAME: workspace,
    TFC_WORKSPACE_SLUG: `${organization}/${workspace}`,
    TFC_PROJECT_NAME: material['project-name'],
    TF_CLI_CONFIG_FILE: around.hostsFile,
    [`TF_TOKEN_${hostName(around.address)}`]: around.token,
    ...(around.sshKeyFile === undefined ? {} : { GIT_SSH_COMMAND: sshCommand(around.sshKeyFile, around.sshOption) }),
    ...Object.fromEntries(own),
    ...Object.fromEntries(material['identity-tokens'].map(({ key, value }) => [key, value])),
  };
}

const sshCommand = (keyFile: string, option: string | undefined): string => {
  const command = `ssh -i ${keyFile} -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new`;
  return option === undefined ? command : `${command} -o ${option}`;
};

/** The engine reads tokens of hosts from names in which dots and hyphens are replaced. It knows no port there. */
const hostName = (address: string): string =>
  new URL(address).hostname.replaceAll('-', '__').replaceAll('.', '_').replaceAll(/[^\w]/g, '');

/** The engine keeps the state in its folder, whatever the configuration says: the agent brings it and takes it away. */
export const backendOverride = 'terraform {\n  backend "local" {}\n}\n';
export const backendOverrideFile = 'zzz_keyferry_override.tf';
export const stateFile = 'terraform.tfstate';
