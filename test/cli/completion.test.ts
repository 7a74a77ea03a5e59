import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { groups } from '#cli/catalogue.ts';
import { following } from '#cli/completion/words.ts';
import { runLine } from '../support/cli/line.ts';

const all = await following(groups);
const { output: script } = await runLine(['completion', 'bash']);

/** What bash offers at the end of a line. */
function completed(...words: string[]): readonly string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const program = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _keyferry; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes the names of commands', () => {
  expect(completed('keyferry', '')).toEqual(groups.map(({ name }) => name));
  expect(completed('keyferry', 'kv', 'un')).toEqual(['undelete']);
  expect(completed('keyferry', 'workspaces', 'state', '')).toEqual(['pull']);
  expect(completed('keyferry', 'nothing', '')).toEqual([]);
});

test('bash completes options after the command and its arguments, and formats of the output', () => {
  expect(completed('keyferry', 'kv', 'get', '--f')).toEqual(['--field']);
  expect(completed('keyferry', 'kv', 'get', 'secret/a', '--ver')).toEqual(['--version']);
  expect(completed('keyferry', 'status', '-o', 'y')).toEqual(['yaml']);
  expect(completed('keyferry', 'kv', 'get', 'secret/a', '')).toEqual([]);
});

test.each(['bash', 'zsh', 'fish'])('the script for %s has every command with its options', async (shell) => {
  const { code, output } = await runLine(['completion', shell]);
  expect(code).toBe(0);
  for (const { command, names, flags } of all) {
    expect(output).toContain(command);
    if (names.length > 0) expect(output).toContain(names.join(' '));
    else for (const flag of flags) expect(output).toContain(flag.replace(/^-*/, ''));
  }
});

test('another shell is a wrong command line', async () => {
  expect(await runLine(['completion', 'tcsh'])).toMatchObject({ code: 2, output: '' });
});
