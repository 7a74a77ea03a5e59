import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { readBounds } from '#network/bounds.ts';
import { archiveOf } from '#network/git/archive.ts';
import { changedPaths, defaultBranch, fetchCommit, fetchFormer } from '#network/git/commit.ts';
import { partsOf } from '#network/git/parts.ts';
import { openRepository, type Repository } from '#network/git/repository.ts';
import type { GitSettings, Remote } from '#network/git/settings.ts';
import { gitServer, gitVersion } from '../../support/servers/git-server.ts';
import { ending } from '../../support/services.ts';

const limits = { connectMs: 20_000, bytesMax: 50_000_000 };
const sizes = { bytesMax: 10_000_000, entriesMax: 1_000 };
const settings: GitSettings = {
  program: 'git',
  bounds: readBounds('all'),
  caFile: undefined,
  knownHostsFile: undefined,
};

const version = gitVersion();
if (version === undefined) console.log('skipped: this machine has no git');
const withGit = test.skipIf(version === undefined);

const open = async (remote: Remote, more: Partial<GitSettings> = {}): Promise<Repository> =>
  ending(await openRepository({ ...settings, ...more }, remote, limits, new AbortController().signal));

const basic = (password: string) => `Basic ${Buffer.from(`x:${password}`).toString('base64')}`;

async function filesIn(stream: AsyncIterable<Buffer>): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  const entries = extract();
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  createGunzip()
    .on('error', (error) => entries.destroy(error))
    .end(Buffer.concat(pieces))
    .pipe(entries);
  for await (const entry of entries) {
    let text = '';
    for await (const piece of entry) text += String(piece);
    if (entry.header.type !== 'directory') files[entry.header.name] = entry.header.linkname ?? text;
  }
  return files;
}

async function* only<T>(...items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

withGit('a commit is fetched with its credential and packed as it was committed', async () => {
  const server = await gitServer();
  server.password = 'pass-not-for-eyes';
  const site = server.repository('acme/site');
  const first = site.commit({
    'main.tf': 'one',
    'archive/old.md': 'x',
    '.gitattributes': 'main.tf export-ignore\n*.tf export-subst',
  });
  const second = site.commit(
    { 'main.tf': 'two $Format:%H$', 'archive/old.md': null, 'mod/a.tf': 'a', link: { to: 'main.tf' } },
    { message: 'Say two\n\nmore' },
  );
  const url = `${server.url}/acme/site.git`;
  const repository = await open({ url, authorization: basic('pass-not-for-eyes') });
  expect(await defaultBranch(repository)).toBe('main');
  const commit = await fetchCommit(repository, { commit: second, ref: 'refs/heads/main' });
  expect(commit).toMatchObject({ sha: second, author: 'Ada', message: 'Say two\n\nmore' });
  expect(await fetchFormer(repository, first)).toBe(first);
  expect(await fetchFormer(repository, 'a'.repeat(40))).toBeUndefined();
  expect(await changedPaths(repository, { from: first, to: second, countMax: 10 })).toEqual([
    'archive/old.md',
    'link',
    'main.tf',
    'mod/a.tf',
  ]);
  const files = await filesIn(archiveOf(only({ repository, commit: second, folder: '' }), sizes));
  expect(files).toMatchObject({ 'main.tf': 'two $Format:%H$', 'mod/a.tf': 'a', link: 'main.tf' });
  expect(
    (
      await fetchCommit(await open({ url, authorization: basic('pass-not-for-eyes') }), {
        commit: undefined,
        ref: undefined,
      })
    ).sha,
  ).toBe(second);
});

withGit('the reasons of failures are told without secrets', async () => {
  const server = await gitServer();
  const site = server.repository('acme/site');
  site.commit({ a: 'b' });
  const url = `${server.url}/acme/site.git`;
  const failure = async (
    remote: Remote,
    wanted: { ref?: string; commit?: string } = {},
    more: Partial<GitSettings> = {},
  ) => {
    const repository = await open(remote, more);
    return fetchCommit(repository, { commit: wanted.commit, ref: wanted.ref }).then(
      () => 'none',
      (error: unknown) => String(error),
    );
  };
  expect(await failure({ url: `${server.url}/acme/none.git` })).toContain('does not exist');
  expect(await failure({ url }, { ref: 'refs/heads/none' })).toContain('does not have the commit');
  expect(await failure({ url }, { commit: 'b'.repeat(40), ref: 'refs/heads/main' })).toContain(
    'does not have the commit',
  );
  server.password = 'right';
  expect(await failure({ url, authorization: basic('wrong-not-for-eyes') })).toMatch(/refused the credential$/);
  server.redirect = 'http://127.0.0.1:1';
  expect(await failure({ url })).toContain('redirects');
  server.redirect = undefined;
  expect(await failure({ url }, {}, { bounds: readBounds('none') })).toContain(
    'strict networking blocked the connection to 127.0.0.1 port',
  );
  expect(
    await failure(
      { url: `http://localhost:${new URL(url).port}/acme/site.git` },
      {},
      { bounds: readBounds(new URL(url).port) },
    ),
  ).toContain('strict networking');
  expect(await failure({ url: 'https://127.0.0.1:1/a/b.git' })).toContain('ECONNREFUSED');
});

withGit('submodules are packed below their paths, and the credential stays with its server', async () => {
  const server = await gitServer();
  const elsewhere = await gitServer();
  const inner = server.repository('acme/inner').commit({ 'inner.tf': 'i' });
  const other = elsewhere.repository('other/one').commit({ 'other.tf': 'o' });
  const site = server.repository('acme/site');
  site.commit({
    '.gitmodules': `[submodule "i"]\n path = mods/inner\n url = ../inner.git\n[submodule "o"]\n path = other\n url = ${elsewhere.url}/other/one.git\n`,
  });
  site.git('update-index', '--add', '--cacheinfo', `160000,${inner},mods/inner`);
  site.git('update-index', '--add', '--cacheinfo', `160000,${other},other`);
  site.git('commit', '--quiet', '--message', 'With submodules');
  site.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
  const url = `${server.url}/acme/site.git`;
  const remoteOf = (one: string): Remote =>
    one.startsWith(server.url) ? { url: one, authorization: basic('own') } : { url: one };
  const repository = await open(remoteOf(url));
  const { sha: commit } = await fetchCommit(repository, { commit: undefined, ref: undefined });
  const files = await filesIn(
    archiveOf(partsOf({ repository, commit, folder: '', url }, { remoteOf, open: (remote) => open(remote) }), sizes),
  );
  expect(files).toMatchObject({ 'mods/inner/inner.tf': 'i', 'other/other.tf': 'o' });
  expect(server.asked.some(({ path, authorization }) => path.includes('inner') && authorization === basic('own'))).toBe(
    true,
  );
  expect(elsewhere.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
});

withGit('an archive has a size limit, and a number of files', async () => {
  const server = await gitServer();
  const site = server.repository('acme/big');
  const commit = site.commit({ big: 'x'.repeat(300_000), more: 'y' });
  const repository = await open({ url: `${server.url}/acme/big.git` });
  await fetchCommit(repository, { commit, ref: undefined });
  const packed = (limit: Partial<typeof sizes>) =>
    filesIn(archiveOf(only({ repository, commit, folder: '' }), { ...sizes, ...limit }));
  await expect(packed({ bytesMax: 200_000 })).rejects.toThrow('more than 200000 bytes');
  await expect(packed({ entriesMax: 1 })).rejects.toThrow('more than 1 files');
  expect(Object.keys(await packed({}))).toHaveLength(2);
});
