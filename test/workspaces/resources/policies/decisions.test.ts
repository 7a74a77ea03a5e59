import { expect, test } from 'vitest';
import { verdictOf } from '#workspaces/resources/opa/verdict.ts';
import { sensitiveIn } from '#workspaces/resources/policy-evaluator/sensitive.ts';
import { decide } from '#workspaces/resources/task-results/decide.ts';

const result = (status: 'passed' | 'failed' | 'running', level: 'advisory' | 'mandatory' = 'mandatory') => ({
  ...{ id: 'taskrs-1', status, enforcement_level: level },
});
const evaluation = (status: 'passed' | 'failed' | 'errored' | 'running' | 'overridden', overridable = false) => ({
  ...{ id: 'poleval-1', status, overridable },
});

test.each([
  [[result('running')], undefined, false, undefined],
  [[result('passed')], evaluation('running'), false, undefined],
  [[result('failed')], evaluation('running'), false, undefined],
  [[result('passed')], undefined, false, 'passed'],
  [[result('failed', 'advisory')], evaluation('passed'), false, 'passed'],
  [[result('failed')], evaluation('failed', true), false, 'failed'],
  [[], evaluation('failed'), false, 'failed'],
  [[], evaluation('errored', true), false, 'awaiting_override'],
  [[], evaluation('failed', true), true, 'failed'],
  [[], evaluation('overridden', true), false, 'passed'],
])('a stage with %j and %j (plan only: %j) is %j', (results, evaluated, planOnly, expected) => {
  expect(decide(results, evaluated, { planOnly })?.status).toBe(expected);
});

const answer = (value: unknown) => JSON.stringify({ result: [{ expressions: [{ value }] }] });

test.each([
  [answer([]), { status: 'passed' }],
  [answer(true), { status: 'passed' }],
  [answer(false), { status: 'failed', found: [] }],
  [answer(['a', { b: 1 }]), { status: 'failed', found: ['a', '{"b":1}'] }],
  [answer({ a: 1 }), { status: 'errored' }],
  [answer('x'), { status: 'errored' }],
  ['{}', { status: 'errored' }],
  ['no json', { status: 'errored' }],
  [
    JSON.stringify({ errors: [{ message: 'm', code: 'rego_parse_error', location: { row: 3 } }] }),
    { status: 'errored', problem: 'line 3: m (rego_parse_error)', isSyntax: true },
  ],
])('the output %s is %j', (output, expected) => {
  expect(verdictOf(output)).toMatchObject(expected);
});

test('at most 20 findings of a policy are kept', () => {
  const verdict = verdictOf(answer(Array.from({ length: 30 }, (_, at) => `f${at}`)));
  expect(verdict.status === 'failed' && verdict.found).toHaveLength(20);
});

test('sensitive values of a plan are found wherever it marks them', () => {
  const found = sensitiveIn({
    variables: { token: { value: 's-variable' }, region: { value: 'eu' } },
    configuration: { root_module: { variables: { token: { sensitive: true }, region: {} } } },
    planned_values: {
      outputs: { o: { sensitive: true, value: 's-output' }, p: { sensitive: false, value: 'plain' } },
      root_module: {
        child_modules: [
          { resources: [{ values: { a: { b: 's-nested' }, c: 1 }, sensitive_values: { a: { b: true } } }] },
        ],
      },
    },
    resource_changes: [
      {
        change: {
          ...{ before: { list: ['x', 's-before'] }, before_sensitive: { list: [false, true] } },
          ...{ after: { all: { one: 's-after', two: 42 } }, after_sensitive: { all: true } },
        },
      },
    ],
  });
  expect([...found].toSorted()).toEqual(['42', 's-after', 's-before', 's-nested', 's-output', 's-variable']);
});
