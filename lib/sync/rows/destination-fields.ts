import { z } from 'zod';
import { badRequest } from '../../core/errors.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import { networkFields } from '../../destinations/network/fields.ts';
import { bool, type FieldMeta, type Fields, text, textList, textMap, textMapPatch } from '../../path/fields.ts';

/** What a sensitive field reads as. */
export const masked = '*****';

/** Fields of every destination type (specification, sync document 4.3). */
export const commonFields = (definition: DestinationDefinition) => ({
  secret_name_template: text()
    .optional()
    .meta({ description: 'Template of the names at the destination; empty: the default of the type' }),
  granularity: text()
    .pipe(z.enum(['secret-path', 'secret-key'], { error: 'granularity is "secret-path" or "secret-key"' }))
    .optional()
    .meta({ description: `What becomes an object of its own. Default: ${definition.granularity}` }),
  adopt: bool().default(false).meta({ description: 'Take over objects of the same name that the sync did not write' }),
  ...(definition.tags === undefined
    ? {}
    : { custom_tags: textMap().optional().meta({ description: 'Tags for the objects, beside the built-in ones' }) }),
  ...networkFields,
});

/** Fields that a merge alone takes, or takes in another form. */
export const mergeFields = (definition: DestinationDefinition) =>
  definition.tags === undefined
    ? {}
    : {
        custom_tags: textMapPatch()
          .nullable()
          .optional()
          .meta({ description: 'Tags for the objects, beside those that are there; null takes a tag away' }),
        tags_to_remove: textList().optional().meta({ description: 'Keys of custom tags to remove' }),
      };

/** The same fields, all of them optional, without defaults, and null to set a field back. */
export function asMerge(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    bare(field)
      .nullable()
      .optional()
      .meta(field.meta() ?? {}),
  ]);
  return Object.fromEntries(entries) as Fields;
}

function bare(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodNullable) {
    return bare(field.unwrap() as z.ZodType);
  }
  return field;
}

export const metaOf = (field: z.ZodType): FieldMeta => (field.meta() ?? { description: '' }) as unknown as FieldMeta;

export const isSensitive = (fields: Fields, name: string): boolean => {
  const field = fields[name];
  return field !== undefined && metaOf(field).sensitive === true;
};

/** Values as people may see them: sensitive ones masked, absent and empty ones left out. */
export function maskedConnection(
  definition: DestinationDefinition,
  connection: Readonly<Record<string, unknown>>,
): object {
  const shown = Object.entries(connection).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(
    shown.map(([name, value]) => [name, isSensitive(definition.fields, name) ? masked : value]),
  );
}

/** A client that sends back what it read means the value that is stored. */
export function unmask(
  definition: DestinationDefinition,
  given: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!isSensitive(definition.fields, name) || typeof value !== 'string' || !/^\*+$/.test(value))
        return [name, value];
      const kept = stored?.[name];
      if (kept === undefined)
        throw badRequest(`${name} is masked (${masked}) and no value is stored: send the value itself`);
      return [name, kept];
    }),
  );
}

/** @throws AppError `bad-request` naming every field that may not change once the destination exists */
export function checkImmutable(
  definition: DestinationDefinition,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  const changed = Object.entries(definition.fields).filter(
    ([name, field]) => metaOf(field).immutable === true && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return;
  const names = changed.map(([name]) => name).join(', ');
  throw badRequest(`${names} cannot be changed once the destination exists: create another destination instead`);
}
