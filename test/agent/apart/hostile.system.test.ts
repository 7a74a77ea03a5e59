import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeRunFolder } from '#agent/run/folder.ts';
import { bytesBelow, openFolders } from '#agent/run/limits/disk.ts';
import { confinedRun } from './confined.ts';

// Commands of runs that attack, with the programs of this machine. Without isolation the tests of what only isolation prevents end early.
const megabyte = 1024 * 1024;

function needsIsolation(isIsolated: boolean): boolean {
  if (!isIsolated) console.info('this machine cannot isolate runs: user namespaces do not work');
  return isIsolated;
}

async function marked(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'marked-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const file = join(folder, 'file');
  await writeFile(file, text, { mode: 0o644 });
  return file;
}

describe('the environment of a run', () => {
  test('guides no program before its own: neither PATH nor LD_PRELOAD', async () => {
    const { folder, user, say } = await confinedRun({
      environment: { PATH: '.:/usr/bin:/bin', LD_PRELOAD: './no-such-library.so', 'NOT-A-NAME': 'x', UID: '0' },
    });
    for (const name of ['setpriv', 'unshare', 'mount', 'mkdir', 'prlimit', 'sh']) {
      const program = join(folder.configuration, name);
      await writeFile(program, '#!/bin/sh\necho taken\n');
      await chmod(program, 0o755);
      if (user !== undefined) await chown(program, user.uid, user.gid);
    }
    const { code, text } = await say('echo "$PATH $LD_PRELOAD"');
    expect(code).toBe(0);
    expect(text).toContain('.:/usr/bin:/bin ./no-such-library.so\n');
    expect(text).not.toContain('taken');
    // The loader complains once for each program that it loads with the library: only the run's own.
    expect(text.match(/no-such-library\.so' from LD_PRELOAD/g)).toHaveLength(1);
  });

  test('arrives as it is, and is on no command line', async () => {
    const value = `a 'quoted' "one" $HOME \`x\` \\ ${'é'}\nwith two lines`;
    const { say } = await confinedRun({ environment: { VALUE: value } });
    const { text } = await say('printf "%s|" "$VALUE"; tr "\\0" " " < /proc/$$/cmdline; env | grep -c KEYFERRY');
    expect(text.split('|')[0]).toBe(value);
    expect(text.split('|')[1]).not.toContain('quoted');
    expect(text).toMatch(/0\n$/);
  });
});

describe('a run sees', () => {
  test('no folder of another run, no kept state, no shared folder and no hidden file', async () => {
    const token = await marked('marker-token');
    const { parent, folder, user, isIsolated, say } = await confinedRun({ hiddenFiles: ['/etc/hostname', token] });
    if (!needsIsolation(isIsolated)) return;
    const other = await makeRunFolder({ folder: parent, user });
    await writeFile(join(parent, 'run-x.tfstate'), 'marker-state', { mode: 0o644 });
    await writeFile(join(other.configuration, 'main.tf'), 'marker-other', { mode: 0o644 });
    const { text } = await say(`
      cat ${other.configuration}/main.tf ${parent}/run-x.tfstate ${token} 2> /dev/null
      echo "hidden $(cat /etc/hostname | wc -c)"
      find ${parent} /tmp /var/tmp /dev/shm -maxdepth 3 2>&1
      umount /tmp; unshare --user --map-root-user --mount umount /tmp && echo revealed
      ln -s ${parent} link; cat link/run-x.tfstate`);
    expect(text).not.toContain('marker');
    expect(text).not.toContain('revealed');
    expect(text).toContain(folder.configuration);
    expect(text).not.toContain(other.path);
    expect(text).toContain('/dev/shm');
    expect(text).toContain('hidden 0');
  });

  test('as little when the hidden file is in a folder that its user may not enter', async () => {
    const closed = await mkdtemp(join(tmpdir(), 'closed-'));
    onTestFinished(() => rm(closed, { recursive: true, force: true }));
    const token = join(closed, 'token');
    await writeFile(token, 'marker-token');
    if (!needsIsolation((await confinedRun()).isIsolated)) return;
    const { isIsolated, say } = await confinedRun({ hiddenFiles: [token] });
    expect(isIsolated).toBe(true);
    expect((await say(`cat ${token} || echo none`)).text).toMatch(/none\n$/);
  });

  test('its own folder only, also when the folder of the agent is not a shared one', async () => {
    const { parent, folder, isIsolated, say } = await confinedRun({ within: import.meta.dirname });
    if (!needsIsolation(isIsolated)) return;
    await writeFile(join(parent, 'run-x.tfstate'), 'marker-state', { mode: 0o644 });
    const { code, text } = await say(`pwd; touch here; cat ${parent}/run-x.tfstate; find ${parent} -maxdepth 1`);
    expect(code).toBe(0);
    expect(text.split('\n').filter((line) => line.startsWith('/'))).toEqual([
      folder.configuration,
      parent,
      folder.path,
    ]);
    expect(existsSync(join(folder.configuration, 'here'))).toBe(true);
  });

  test('the engine where it is, and as it is, also in a shared folder', async () => {
    const engine = await marked('#!/bin/sh\necho engine\n');
    await chmod(engine, 0o755);
    const folder = dirname(engine);
    const link = join(folder, 'link');
    await symlink(engine, link);
    const { say } = await confinedRun({ environment: { PATH: `${folder}:/usr/bin:/bin` }, engines: [link] });
    expect((await say(`${link}; ${engine}`)).text).toBe('engine\nengine\n');
    expect(await readFile(engine, 'utf8')).toContain('echo engine');
  });

  test('nothing at the places that an earlier command of the same run has bent', async () => {
    const { parent, folder, isIsolated, say } = await confinedRun();
    if (!needsIsolation(isIsolated)) return;
    await writeFile(join(parent, 'run-x.tfstate'), 'marker-state', { mode: 0o644 });
    await say(`
      cd ..; rm -rf /tmp/* 2> /dev/null; mv ${parent} ${parent}-moved; mkdir -p ${folder.path}; ln -sfn / /tmp/root
      mkdir ${folder.path}/places-x; ln -s ${parent} ${folder.path}/configuration`);
    const { code, text } = await say(`pwd; cat ${parent}/run-x.tfstate; ls /tmp`);
    expect(code).toBe(0);
    expect(text).toContain(folder.configuration);
    expect(text).not.toContain('marker-state');
    expect(text).not.toContain('-moved');
  });
});

describe('a run that takes too much is stopped:', () => {
  test('processes', async () => {
    const { say } = await confinedRun({ processesMax: 128 });
    const { code, reason } = await say('while :; do sleep 1000 & done');
    // The kernel refuses, or the agent sees it first.
    expect([code, reason]).not.toEqual([0, undefined]);
    if (reason !== undefined) expect(reason).toBe('processes');
  });

  test('memory', async () => {
    const { say } = await confinedRun({ memoryBytesMax: 96 * megabyte });
    const { reason } = await say('head -c 1000000000 /dev/zero | tail; sleep 1000');
    expect(reason).toBe('memory');
  });

  test.each([
    ['in folders that are closed', 'mkdir -p a/b; cd a/b; FILL; cd ../..; chmod 0300 a/b; chmod 0 a'],
    ['in /tmp, /var/tmp and /dev/shm', 'for one in /tmp /var/tmp /dev/shm; do cd $one; FILL; done'],
    [
      'in files that it has deleted',
      'exec 3> a 4> b 5> c; rm a b c; for n in 3 4 5; do head -c 8000000 /dev/zero >&$n; done',
    ],
    ['beyond the end of its files', 'for n in 1 2 3 4 5 6; do touch $n; fallocate -n -l 4000000 $n; done'],
    ['below a name that is no text', `d=$(printf '\\377\\376'); mkdir $d; cd $d; FILL`],
  ])('bytes %s', async (_where, script) => {
    const { say, isIsolated } = await confinedRun({ diskBytesMax: 20 * megabyte });
    if (script.includes('/dev/shm') && !needsIsolation(isIsolated)) return;
    const fill = 'for n in 1 2 3 4 5 6; do head -c 4000000 /dev/zero > hostile-$n; done';
    const { reason } = await say(`${script.replace('FILL', fill)}; sleep 1000`);
    expect(reason).toBe('disk');
    for (const place of ['/tmp', '/var/tmp', '/dev/shm']) expect(existsSync(join(place, 'hostile-1'))).toBe(false);
  });
});

/** Goes to a folder whose path is longer than the system takes. */
const deeper = (name: string) =>
  `d=$(printf '${name}%.0s' $(seq 200)); n=0; while [ $n -lt 30 ]; do mkdir $d && cd -P $d || exit 9; n=$((n+1)); done`;

test('a run that makes folders whose path cannot be taken is stopped, and they are removed', async () => {
  const { folder, say } = await confinedRun({ diskBytesMax: 20 * megabyte });
  const { reason } = await say(`${deeper('d')}; for n in 1 2 3; do head -c 9000000 /dev/zero > $n; done; sleep 1000`);
  expect(reason).toBe('hidden');
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
  await mkdir(folder.path);
});

test('what a run leaves is removed: names that are no text, and closed folders below paths that are too long', async () => {
  const { folder, say } = await confinedRun();
  await say(`d=$(printf '\\377\\376'); mkdir $d; cd $d; ${deeper('e')}; mkdir -p a/b; touch a/b/$d; chmod 0 a/b a`);
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
  await mkdir(folder.path);
});

test('a process that has left the group of a command does not keep the run from its end', async () => {
  const { isIsolated, limits, say } = await confinedRun();
  // With isolation it dies with the command.
  if (isIsolated) Object.assign(limits, { confinement: { ...limits.confinement, isolation: undefined } });
  const left = await say('setsid sleep 1000 & echo said; echo $! > pid; cat pid');
  expect(left).toMatchObject({ code: 0, reason: undefined, text: expect.stringContaining('said\n') });
  await say('kill -KILL $(cat pid)');
  const writing = await say('setsid sh -c "echo \\$\\$ > pid; while :; do echo xxxxxxxxxxxxxxxx; done" & sleep 1');
  expect(writing).toMatchObject({ code: 0, reason: undefined });
  await say('kill -KILL $(cat pid)');
});

test('a folder that not even its owner can read is counted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'closed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const isRoot = process.geteuid?.() === 0;
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await writeFile(join(folder, 'a/b/file'), Buffer.alloc(megabyte));
  if (isRoot) for (const one of ['.', 'a', 'a/b']) await chown(join(folder, one), 60_901, 60_901);
  await chmod(join(folder, 'a/b'), 0o300);
  await chmod(join(folder, 'a'), 0);
  // Root could read it.
  if (isRoot) process.seteuid?.(60_901);
  try {
    expect(await bytesBelow(folder, 10 * megabyte)).toBeGreaterThan(megabyte);
    await chmod(join(folder, 'a'), 0);
    await openFolders(folder);
    await rm(join(folder, 'a'), { recursive: true });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test('a folder that not even its owner can read is removed', async () => {
  const { folder, say } = await confinedRun();
  await say('mkdir -p a/b/c; touch a/b/c/d; chmod 0300 a/b; chmod 0 a');
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
  await mkdir(folder.path);
});
