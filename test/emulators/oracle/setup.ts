import { afterEach, expect, inject } from 'vitest';
import { recordExchanges } from './exchange.ts';
import type { OpenOracle } from './oracle.ts';

// Runs after each test of an oracle's trial: all requests and answers of the test must match the description.
const { oracle: address = '', packages, allowed } = inject('trial');
const { openOracle }: { readonly openOracle: OpenOracle } = await import(address);
const oracle = await openOracle(packages);
const rules = allowed.map(({ pattern, reason }) => ({ difference: new RegExp(pattern), reason }));
const exchanges = recordExchanges();

afterEach(({ task }) => {
  const judged: Record<string, number> = {};
  const waived: Record<string, number> = {};
  const left = new Set<string>();
  for (const exchange of exchanges.splice(0)) {
    const { operation, differences } = oracle.judge(exchange);
    judged[operation] = (judged[operation] ?? 0) + 1;
    for (const text of differences.map((difference) => `${operation}: ${difference}`)) {
      const rule = rules.find(({ difference }) => difference.test(text));
      if (rule === undefined) left.add(text);
      else waived[rule.reason] = (waived[rule.reason] ?? 0) + 1;
    }
  }
  Object.assign(task.meta, { judged, waived });
  expect([...left]).toEqual([]);
});
