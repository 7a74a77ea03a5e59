import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBounds } from '#network/bounds.ts';
import { defaultBranch, fetchCommit } from '#network/git/commit.ts';
import { openRepository } from '#network/git/repository.ts';
import type { GitSettings } from '#network/git/settings.ts';
import { gitServer, gitVersion } from '../../support/servers/git-server.ts';
import { newSshKey, noSsh, sshServer } from '../../support/servers/ssh-server.ts';
import { ending } from '../../support/services.ts';

const limits = { connectMs: 20_000, bytesMax: 50_000_000 };
const reason = gitVersion() === undefined ? 'this machine has no git' : noSsh;
if (reason !== undefined) console.log(`skipped: ${reason}`);
const withSsh = test.skipIf(reason !== undefined);

/** A repository behind a real server of SSH, and what fetching its newest commit ends with. */
async function stage() {
  const [git, ssh] = [await gitServer(), await sshServer()];
  const commit = git.repository('acme/site').commit({ 'main.tf': 'one' });
  const folder = mkdtempSync(join(tmpdir(), 'known-hosts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const knownHostsFile = join(folder, 'known_hosts');
  const know = (...lines: readonly string[]) => writeFileSync(knownHostsFile, `${lines.join('\n')}\n`);
  const ofHost = `[127.0.0.1]:${ssh.port}`;
  know(`${ofHost} ${ssh.hostKey}`);
  const fetched = async ({ key = ssh.key, path = 'acme/site.git', ...more }: Fetch = {}): Promise<string> => {
    const settings = { program: 'git', bounds: readBounds('all'), caFile: undefined, knownHostsFile, ...more };
    const url = `ssh://${userInfo().username}@127.0.0.1:${ssh.port}${git.folder}/${path}`;
    try {
      const repository = ending(
        await openRepository(settings, { url, sshKey: key }, limits, new AbortController().signal),
      );
      expect(await defaultBranch(repository)).toBe('main');
      return (await fetchCommit(repository, { commit: undefined, ref: 'refs/heads/main' })).sha;
    } catch (error) {
      return String(error);
    }
  };
  return { ssh, commit, know, ofHost, fetched };
}

type Fetch = { readonly key?: string; readonly path?: string } & Partial<GitSettings>;

withSsh('a repository is fetched over SSH with its key, and with no other', async () => {
  const { ssh, commit, fetched } = await stage();
  expect(await fetched()).toBe(commit);
  expect(await fetched({ key: ssh.key.trimEnd() })).toBe(commit);
  expect(await fetched({ key: newSshKey().key })).toMatch(/refused the credential$/);
  expect(await fetched({ key: 'not a key' })).toMatch(/refused the credential$/);
  expect(await fetched({ path: 'acme/none.git' })).toContain('does not exist');
});

withSsh('a host of SSH is known by the file of the operator alone, by its own name and port', async () => {
  const { ssh, know, ofHost, fetched } = await stage();
  const unknown = /the key of the SSH host is not known to this service$/;
  know(`${ofHost} ${newSshKey().publicKey}`);
  expect(await fetched()).toMatch(unknown);
  know(`127.0.0.1 ${ssh.hostKey}`, `other.test ${ssh.hostKey}`);
  expect(await fetched()).toMatch(unknown);
  know(`@revoked ${ofHost} ${ssh.hostKey}`);
  expect(await fetched()).toMatch(unknown);
  expect(await fetched({ knownHostsFile: undefined })).toContain('KEYFERRY_GIT_KNOWN_HOSTS_FILE');
});

withSsh('the guard refuses addresses and ports for SSH as for others', async () => {
  const { ssh, commit, fetched } = await stage();
  const blocked = `strict networking blocked the connection to 127.0.0.1 port ${ssh.port}`;
  expect(await fetched({ bounds: readBounds('none') })).toContain(blocked);
  expect(await fetched({ bounds: readBounds('127.0.0.0/8') })).toContain(blocked);
  expect(await fetched({ bounds: readBounds(`127.0.0.0/8,${ssh.port}`) })).toBe(commit);
});
