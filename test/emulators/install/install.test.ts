import { describe, expect, test } from 'vitest';
import { Unavailable } from '../trials/trial.ts';
import { reasonOf, run } from './install.ts';

describe('why a program failed', () => {
  test('is the last message on stderr', () => {
    expect(reasonOf('', 'looking\nERROR: No matching distribution found\n')).toBe(
      'ERROR: No matching distribution found',
    );
  });

  test('includes indented lines, as in messages of go', () => {
    const said = 'go: example.com/a@v1: reading https://proxy/a: 404 Not Found\n\tserver response: not found\n';
    expect(reasonOf('', said)).toBe(
      'go: example.com/a@v1: reading https://proxy/a: 404 Not Found server response: not found',
    );
  });

  test('is the first error of Maven, which is on stdout and has colours', () => {
    const said =
      '\u001b[0m[ERROR] Failed to execute goal a:copy on project pom: Could not find a:b:1 -> [Help 1]\n[ERROR] \n[ERROR] no\n';
    expect(reasonOf(said, '')).toBe('Could not find a:b:1 -> [Help 1]');
  });

  test('is unknown without output', () => {
    expect(reasonOf('', ' \n')).toBeUndefined();
  });

  test('is short', () => {
    expect(reasonOf('', 'x'.repeat(10_000))?.length).toBeLessThan(1_000);
  });
});

describe('a program', () => {
  test('that is missing makes a trial unavailable, with its name', async () => {
    await expect(run('no-program-has-this-name', [])).rejects.toThrow(
      new Unavailable('no-program-has-this-name is not on this machine'),
    );
  });

  test('that fails makes a trial unavailable, with its message', async () => {
    const failing = run(process.execPath, ['--eval', 'console.error("the file does not exist"); process.exit(1)']);
    await expect(failing).rejects.toThrow(Unavailable);
    await expect(failing).rejects.toThrow('the file does not exist');
  });

  test('has the given environment in addition to that of the process', async () => {
    const shown = 'console.error(process.env.GOBIN, process.env.PATH !== undefined)';
    const environment = { GOBIN: '/folder/of/programs' };
    expect(await run(process.execPath, ['--eval', shown], { environment, from: 'stderr' })).toBe(
      '/folder/of/programs true\n',
    );
  });
});
