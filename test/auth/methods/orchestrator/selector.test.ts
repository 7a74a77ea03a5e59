import { describe, expect, test } from 'vitest';
import { readSelector, selects } from '#auth/methods/orchestrator/selector.ts';

const labels = { team: 'red', stage: 'live' };

describe('a label selector', () => {
  test.each([
    ['{"matchLabels":{"team":"red"}}', true],
    ['matchLabels: {team: blue}', false],
    ['matchExpressions: [{key: team, operator: In, values: [blue, red]}]', true],
    ['matchExpressions: [{key: team, operator: NotIn, values: [red]}]', false],
    ['matchExpressions: [{key: none, operator: NotIn, values: [red]}]', true],
    ['matchExpressions: [{key: none, operator: In, values: [red]}]', false],
    ['matchExpressions: [{key: stage, operator: Exists}]', true],
    ['matchExpressions: [{key: stage, operator: DoesNotExist}]', false],
    ['{matchLabels: {team: red}, matchExpressions: [{key: stage, operator: DoesNotExist}]}', false],
    ['matchExpressions: [{key: toString, operator: Exists}]', false],
    ['{}', true],
  ])('%s selects: %s', (text, expected) => {
    const selector = readSelector(text);
    expect(selector && selects(selector, labels)).toBe(expected);
  });

  test.each([
    'matchLabels: [',
    'team=red',
    '[]',
    'matchLabels: {team: 1}',
    'matchLabel: {team: red}',
    'matchExpressions: [{key: team, operator: In}]',
    'matchExpressions: [{key: team, operator: Exists, values: [x]}]',
    'matchExpressions: [{key: team, operator: Like, values: [x]}]',
    'a: &a [x]\nmatchLabels: *a',
  ])('%s is not a selector', (text) => {
    expect(readSelector(text)).toBeUndefined();
  });
});
