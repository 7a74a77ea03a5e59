import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webhookPolicy } from '../webhooks.ts';
import { environmentOf, settingsOf, sshCommand } from './environment.ts';
import { failureOf } from './failure.ts';
import { makeGitFolder } from './folders.ts';
import { type Ended, type Running, runGit, startGit } from './program.ts';
import { openRelay, type Relay } from './relay.ts';
import { GitFailure, type GitLimits, type GitSettings, type Remote } from './settings.ts';
import { openSocksProxy } from './socks.ts';

/** A private, empty repository on this machine with one remote. */
export interface Repository {
  /** As git is to be told it. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** Runs a command of git. A failure of a command is not an error. */
  run(words: readonly string[]): Promise<Ended>;
  start(words: readonly string[]): Running;
  /** The failure of a command that spoke with the remote, with what the guard or the network said. */
  failureOf(ended: Pick<Ended, 'complaint'>): GitFailure;
  close(): Promise<void>;
}

/** Attributes of the repository must not decide what of it is delivered. */
const attributes = '* -export-ignore -export-subst\n';

/** @throws GitFailure when the remote cannot be used at all, the reason of the signal */
export async function openRepository(
  settings: GitSettings,
  remote: Remote,
  limits: GitLimits,
  signal: AbortSignal,
): Promise<Repository> {
  const way = await openWay(settings, remote, limits);
  const { path: folder, remove } = await makeGitFolder();
  const close = async () => {
    way.relay.close();
    await remove();
  };
  try {
    const ssh = await way.command(folder);
    const environment = environmentOf(settingsOf(remote, way.proxy), { folder, caFile: settings.caFile, ssh });
    const surroundings = { program: settings.program, folder, environment, signal };
    const run = (words: readonly string[]) => runGit(surroundings, words);
    const made = await run(['init', '--quiet', '--bare', '--template=', folder]);
    if (made.code !== 0) throw new Error('git cannot create a repository');
    await mkdir(join(folder, 'info'), { recursive: true });
    await writeFile(join(folder, 'info', 'attributes'), attributes);
    return {
      url: way.url,
      signal,
      run,
      start: (words) => startGit(surroundings, words),
      failureOf: ({ complaint }) => failureOf(complaint, way.relay.failure),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How git reaches its remote. */
interface Way {
  readonly url: string;
  readonly relay: Relay;
  readonly proxy: string | undefined;
  /** The command for SSH. */
  command(folder: string): Promise<string | undefined>;
}

async function openWay(settings: GitSettings, remote: Remote, limits: GitLimits): Promise<Way> {
  const policy = webhookPolicy(settings.bounds);
  const url = new URL(remote.url);
  if (url.protocol !== 'ssh:') {
    const relay = await openSocksProxy(policy, limits);
    return { url: remote.url, relay, proxy: relay.url, command: async () => undefined };
  }
  const { sshKey: key } = remote;
  const { knownHostsFile } = settings;
  if (key === undefined) throw new GitFailure('the repository is reached over SSH, and there is no SSH key for it');
  if (knownHostsFile === undefined)
    throw new GitFailure(
      'the repository is reached over SSH, and KEYFERRY_GIT_KNOWN_HOSTS_FILE of the server is not set',
    );
  const port = Number(url.port) || 22;
  const relay = await openRelay(policy, limits, async () => ({ host: url.hostname, port }));
  const host = port === 22 ? url.hostname : `[${url.hostname}]:${port}`;
  const user = url.username || 'git';
  return {
    url: `ssh://${user}@127.0.0.1:${relay.port}${url.pathname}`,
    relay,
    proxy: undefined,
    command: (folder) => sshCommand(folder, { key, host, knownHostsFile }),
  };
}
