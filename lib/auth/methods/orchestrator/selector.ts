import { parse } from 'yaml';
import { z } from 'zod';

/** Which labels a namespace has to have: all that is said here. */
export interface LabelSelector {
  readonly labels: Readonly<Record<string, string>>;
  readonly expressions: readonly Expression[];
}

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

const expression = z
  .strictObject({
    key: z.string().min(1),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: z.array(z.string()).nullish(),
  })
  .transform((given) => ({ ...given, values: given.values ?? [] }))
  .refine(({ operator, values }) => (operator === 'In' || operator === 'NotIn') === values.length > 0);

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).nullish(),
  matchExpressions: z.array(expression).nullish(),
});

/** Reads a selector in JSON or YAML; undefined: it is none. */
export function readSelector(text: string): LabelSelector | undefined {
  const read = selector.safeParse(parsed(text));
  if (!read.success) return undefined;
  return { labels: read.data.matchLabels ?? {}, expressions: read.data.matchExpressions ?? [] };
}

function parsed(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    return undefined;
  }
}

/** Whether a namespace with these labels is selected. A selector that says nothing selects every namespace. */
export function selects({ labels, expressions }: LabelSelector, of: Readonly<Record<string, string>>): boolean {
  const all = new Map(Object.entries(of));
  return (
    Object.entries(labels).every(([key, value]) => all.get(key) === value) &&
    expressions.every((one) => holds(one, all.get(one.key)))
  );
}

function holds({ operator, values }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
