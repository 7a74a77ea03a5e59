import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { searchPath } from './program.ts';
import type { GitSettings, Remote } from './settings.ts';

/** Seconds after which a transfer of less than a kilobyte per second ends. */
const slowSeconds = 30;
/** The largest piece of memory that git asks for at once, and the size from which it streams a file. */
const memory = { most: '512m', streamed: '4m' };

/** What git is told, without files that others could have written and without a word on its command line. */
export const settingsOf = (remote: Remote, proxy: string | undefined): readonly (readonly [string, string])[] => [
  ['core.hooksPath', '/dev/null'],
  ['core.attributesFile', '/dev/null'],
  ['core.bigFileThreshold', memory.streamed],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.unpackLimit', '1'],
  ['transfer.unpackLimit', '1'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['pack.threads', '1'],
  ['protocol.version', '2'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', String(slowSeconds)],
  ...(proxy === undefined ? [] : [['http.proxy', proxy] as const]),
  ...(remote.authorization === undefined
    ? []
    : [[`http.${new URL(remote.url).origin}/.extraHeader`, `Authorization: ${remote.authorization}`] as const]),
];

/** All of the environment of git. Settings come by it, since other users of the machine can read command lines. */
export function environmentOf(
  settings: readonly (readonly [string, string])[],
  {
    folder,
    caFile,
    ssh,
  }: { readonly folder: string; readonly caFile: string | undefined; readonly ssh?: string | undefined },
): Readonly<Record<string, string>> {
  return {
    PATH: searchPath,
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'http:https:ssh',
    GIT_ALLOC_LIMIT: memory.most,
    GIT_DIR: folder,
    ...(caFile === undefined ? {} : { GIT_SSL_CAINFO: caFile }),
    ...(ssh === undefined ? {} : { GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'ssh' }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

/**
 * The command for SSH, with the key in a file that only this user can read. `host` is the name under which its key is known, since the
 * connection itself goes to the relay on this machine.
 */
export async function sshCommand(
  folder: string,
  { key, host, knownHostsFile }: { readonly key: string; readonly host: string } & Pick<GitSettings, 'knownHostsFile'>,
): Promise<string> {
  const file = join(folder, 'ssh-key');
  await writeFile(file, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
  const options = {
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: `${knownHostsFile}`,
    GlobalKnownHostsFile: '/dev/null',
    HostKeyAlias: host,
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
  };
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return ['ssh', '-F', '/dev/null', '-i', file, ...words].map(quoted).join(' ');
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
