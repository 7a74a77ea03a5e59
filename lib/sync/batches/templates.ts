import { type RawBuilder, sql } from 'kysely';
import type { DestinationDefinition } from '#destinations/contract.ts';

/** A table `(type, granularity, template)` of the templates that destinations have by default. */
export function defaultTemplates(definitions: readonly DestinationDefinition[]): RawBuilder<unknown> {
  const rows = definitions.flatMap(({ type, templates }) =>
    Object.entries(templates).map(([granularity, template]) => ({ type, granularity, template })),
  );
  return sql`unnest(${rows.map(({ type }) => type)}::text[], ${rows.map(({ granularity }) => granularity)}::text[],
                    ${rows.map(({ template }) => template)}::text[])`;
}
