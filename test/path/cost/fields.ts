import { z } from 'zod';
import { realTable } from '#infra/generate/rows.ts';
import type { Operation } from '#path/contract/row.ts';
import { fieldMeta } from '#path/meta.ts';

/** An operation of the service's table and the fields that a body may have there. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: Operation;
  readonly fields: Readonly<Record<string, z.ZodType>>;
}

export const operations: readonly NamedOperation[] = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap((row) =>
    Object.entries(row.operations).map(([verb, operation]) => ({
      name: `${verb} ${mount}/${row.pattern}`,
      operation,
      fields: Object.fromEntries(
        Object.entries<z.ZodType>(operation.fields).filter(([, field]) => fieldMeta(field).in !== 'path'),
      ),
    })),
  ),
);

/** The operations with those of their fields whose schema no operation before them has; without those that bring nothing new. */
export function withNewSchemas(): readonly NamedOperation[] {
  const seen = new Set<string>();
  const isNew = (field: z.ZodType): boolean => {
    const before = seen.size;
    return seen.add(schemaText(field)).size > before;
  };
  return operations
    .map((one) => ({
      ...one,
      fields: Object.fromEntries(Object.entries(one.fields).filter(([, field]) => isNew(field))),
    }))
    .filter(({ fields }) => Object.keys(fields).length > 0);
}

/**
 * A schema as text: its types, checks and the code of its functions, without descriptions. Functions with the same code count as
 * equal, whatever they have captured.
 */
function schemaText(value: unknown, above: readonly unknown[] = []): string {
  if (typeof value === 'function') return String(value);
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return String(value);
  if (above.includes(value)) return 'the schema itself';
  const inner = value instanceof z.ZodType ? value.def : value;
  const members = Object.entries(inner).map(([name, one]) => `${name}: ${schemaText(one, [...above, value])}`);
  return `{ ${members.join(', ')} }`;
}
