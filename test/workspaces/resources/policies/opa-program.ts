import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** The `opa` of this machine, by its name or `KEYFERRY_TEST_OPA`; undefined where there is none. */
export function realOpa(): string | undefined {
  const program = process.env['KEYFERRY_TEST_OPA'] ?? 'opa';
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' });
    return program;
  } catch {
    return undefined;
  }
}

/** The real program, or one that answers as it does to the policies of these tests. Call it at the top of a test file. */
export const opaProgram = (): string => realOpa() ?? standIn();

/**
 * A program with the command line and the answers of `opa` 1.4. Of Rego it knows the policies of `policiesOf`, in both dialects, and it checks the
 * capabilities that it gets as `opa` does.
 */
function standIn(): string {
  const folder = mkdtempSync(join(tmpdir(), 'opa-program-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'opa.mjs');
  const program = join(folder, 'opa');
  writeFileSync(script, source);
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --max-old-space-size=256 '${script}' "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

const source = `
import { readFileSync } from 'node:fs';
const [command, ...words] = process.argv.slice(2);
const valueOf = (name) => words[words.indexOf(name) + 1];
const builtins = ['http.send', 'net.lookup_ip_addr', 'opa.runtime', 'sprintf', 'count'].map((name) => ({ name }));
const print = (value) => console.log(JSON.stringify(value));
const error = (message, code, row) => {
  print({ errors: [{ message, code, location: { file: 'policy.rego', row, col: 1 } }] });
  process.exit(2);
};
if (command === 'version') console.log('Version: 1.4.2\\nRego Version: v1');
if (command === 'capabilities') print({ builtins, features: ['rego_v1'] });
if (command === 'eval') {
  const text = readFileSync(valueOf('--data'), 'utf8');
  const allowed = JSON.parse(readFileSync(valueOf('--capabilities'), 'utf8'));
  const input = JSON.parse(readFileSync(0, 'utf8'));
  const isOld = /deny\\[msg\\] *\\{/.test(text);
  if (isOld !== words.includes('--v0-compatible')) error('\`if\` keyword is required before rule body', 'rego_parse_error', 2);
  for (const { name } of builtins)
    if (text.includes(name + '(') && !allowed.builtins.some((one) => one.name === name))
      error('undefined function ' + name, 'rego_type_error', 3);
  const rule = words.at(-1);
  if (rule === 'true') print({ result: [{ expressions: [{ value: true }] }] });
  else if (rule === 'data.terraform.allow') print({ result: [{ expressions: [{ value: input.run.is_destroy }] }] });
  else if (rule !== 'data.terraform.deny') print({});
  else {
    const type = /r.type == "(\\w+)"/.exec(text)?.[1];
    const found = input.plan.resource_changes.filter((one) => one.type === type);
    const value = found.map((one) => one.address + ' has ' + one.change.after.value + ' in ' + input.run.workspace.name);
    print({ result: [{ expressions: [{ value }] }] });
  }
}
`;

/** Policies in Rego. `deny` lists the resources of a type, with a value of each; `allow` is true for runs that destroy. */
export const policyText = {
  current: (type: string) => `package terraform
deny contains msg if {
  some r in input.plan.resource_changes; r.type == "${type}"
  msg := sprintf("%s has %s in %s", [r.address, r.change.after.value, input.run.workspace.name])
}
allow := input.run.is_destroy
`,
  old: (type: string) => `package terraform
deny[msg] {
  r := input.plan.resource_changes[_]; r.type == "${type}"
  msg := sprintf("%s has %s in %s", [r.address, r.change.after.value, input.run.workspace.name])
}
`,
  reaching: `package terraform
deny contains msg if { some r in input.plan.resource_changes; r.type == "none"; msg := "m" }
answer := http.send({"method": "get", "url": "http://127.0.0.1:1/"})
`,
};
