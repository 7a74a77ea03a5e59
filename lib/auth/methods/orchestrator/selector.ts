import { parse } from 'yaml';
import { z } from 'zod';

/** A label selector. A namespace has to satisfy all of its conditions. */
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

/** Parses a selector in JSON or YAML. Undefined when the text is not a selector. */
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

/** Whether the selector selects a namespace with these labels. An empty selector selects every namespace. */
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
