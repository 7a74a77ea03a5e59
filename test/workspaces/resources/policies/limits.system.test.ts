import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { policyCheck } from '#workspaces/resources/opa/check.ts';
import { openOpa } from '#workspaces/resources/opa/opa.ts';
import { realOpa } from './opa-program.ts';

// A policy that loops, and one that allocates: the program that evaluates it has limits, whatever the program does.
const folder = mkdtempSync(join(tmpdir(), 'opa-limits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();
const noInput = Buffer.from('{}');

/** A program with the command line of `opa` that does this to evaluate. */
function programOf(name: string, evaluation: string): string {
  const script = join(folder, `${name}.mjs`);
  const program = join(folder, name);
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from 'node:fs';
const [command] = process.argv.slice(2);
const print = (value) => console.log(JSON.stringify(value));
if (command === 'version') console.log('Version: 1.4.2');
if (command === 'capabilities') print({ builtins: [] });
if (command === 'eval') { ${evaluation} }
`,
  );
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --max-old-space-size=256 '${script}' "$@"\n`, {
    mode: 0o755,
  });
  return program;
}

async function evaluate(program: string, source = 'package a\n', rule = 'data.a.deny') {
  const opa = await openOpa(program, signal);
  try {
    return await opa.evaluate({ source, rule }, noInput, signal);
  } finally {
    await opa.close();
  }
}

test('a program that loops is ended with all that it started', async () => {
  // The evaluation goes on until nothing holds the output of the program any more.
  const program = programOf(
    'loops',
    `
const { spawn } = await import('node:child_process');
spawn('/bin/sh', ['-c', 'while :; do sleep 1; done'], { stdio: 'inherit' });
for (;;);`,
  );
  expect(await evaluate(program)).toMatchObject({ status: 'errored', problem: 'opa took longer than 10 seconds' });
});

test('a program that wants more memory than it may have fails, and has the limits that are documented', async () => {
  const allocates = programOf(
    'allocates',
    `new ArrayBuffer(5 * 2 ** 30); print({ result: [{ expressions: [{ value: [] }] }] });`,
  );
  expect(await evaluate(allocates)).toMatchObject({ status: 'errored', problem: 'opa gave no readable answer' });
  const limits = programOf(
    'limits',
    `const rows = readFileSync('/proc/self/limits', 'utf8').split('\\n');
const of = (name) => rows.find((row) => row.startsWith(name)).slice(name.length).trim().split(/ +/)[0];
const message = ['Max address space', 'Max cpu time', 'Max file size', 'Max core file size'].map(of).join(' ');
print({ errors: [{ message: message + ' ' + Object.keys(process.env).filter((key) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(key)).sort() }] });`,
  );
  expect(await evaluate(limits)).toMatchObject({
    problem: `${4 * 2 ** 30} 20 0 0 GOMAXPROCS,GOMEMLIMIT,LC_ALL,PATH`,
  });
});

test('a program that writes without end is ended', async () => {
  const program = programOf(
    'writes',
    `for (;;) await new Promise((written) => process.stdout.write('x'.repeat(65_536), written));`,
  );
  expect(await evaluate(program)).toMatchObject({ status: 'errored', problem: 'opa wrote more than 1048576 bytes' });
});

test('a text that takes too long to compile is refused, and only two are compiled at once', async () => {
  const check = policyCheck(programOf('compiles', 'for (;;);'));
  const stop = new AbortController();
  const first = check('package a\n', signal);
  const second = check('package b\n', stop.signal);
  await expect(check('package c\n', signal)).rejects.toMatchObject({ status: 503 });
  stop.abort();
  await expect(second).rejects.toThrow();
  await expect(first).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('opa took longer than 10 seconds'),
  });
});

describe.skipIf(realOpa() === undefined)('the real program', () => {
  const real = realOpa() ?? '';
  test('ends a policy that loops', async () => {
    const source = `package a
deny contains x if { some x in numbers.range(1, 100000000); some y in numbers.range(1, 100000000); x * y == 7 }
`;
    expect(await evaluate(real, source)).toMatchObject({ status: 'errored' });
  });
});
