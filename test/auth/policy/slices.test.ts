import { expect, test, vi } from 'vitest';
import { compileAcl, compilingAcl } from '#auth/policy/acl.ts';
import { parsePolicy, parsingPolicy } from '#auth/policy/parse.ts';
import { type Steps, stepByStep } from '#core/concurrency/yielding.ts';
import { methodTypeNames } from '#path/vocabulary.ts';

const rules = 5_000;
const block = (index: number) => `path "kv/team-${index}/+/*" { capabilities = ["read", "list"] }\n`;
const asHcl = Array.from({ length: rules }, (_, index) => block(index)).join('');
const asJson = JSON.stringify({
  path: Object.fromEntries(
    Array.from({ length: rules }, (_, index) => [`kv/team-${index}/+/*`, { capabilities: ['read', 'list'] }]),
  ),
});

/** The number of interruptions that the work allows, and its result. */
function counted<T>(steps: Steps<T>): { readonly pauses: number; readonly outcome: T } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next();
    if (done === true) return { pauses, outcome: value };
  }
}

test.each([
  ['HCL', asHcl],
  ['JSON', asJson],
])('a long policy in %s can be interrupted at each rule, while it is read and while it is compiled', (_form, text) => {
  const parsed = counted(parsingPolicy(text));
  expect(parsed.outcome).toEqual(parsePolicy(text));
  expect(parsed.pauses).toBeGreaterThan(2 * rules);
  const compiled = counted(compilingAcl(parsed.outcome.rules, methodTypeNames));
  expect(compiled.pauses).toBeGreaterThanOrEqual(rules);
  expect([...compiled.outcome.globs]).toEqual([...compileAcl(parsed.outcome.rules, methodTypeNames).globs]);
});

test('long work yields to the event loop, and short work is done at once', async () => {
  function* working(steps: number): Steps<number> {
    for (let step = 0; step < steps; step += 1) yield;
    return steps;
  }
  let rounds = 0;
  let running = true;
  const count = () => {
    rounds += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  // A clock that advances by a millisecond with each reading.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1;
    return now;
  });
  expect(await stepByStep(working(400))).toBe(400);
  expect(rounds).toBeGreaterThan(20);
  running = false;
  rounds = 0;
  await stepByStep(working(3));
  expect(rounds).toBe(0);
  vi.restoreAllMocks();
});

test('an error in a long policy is the same in slices as at once', async () => {
  const text = `${asHcl}path "x" { capabilities = ["reed"] }`;
  await expect(stepByStep(parsingPolicy(text))).rejects.toThrow(/line 5001/);
  expect(() => parsePolicy(text)).toThrow(/line 5001/);
});
