import { z } from 'zod';
import { invalid } from '#core/errors.ts';
import type { DestinationDefinition, Granularity } from '#destinations/contract.ts';
import { form } from '#destinations/frame/fields/form.ts';
import { networkFields } from '#destinations/frame/fields/network.ts';
import { own } from '#destinations/frame/fields/own.ts';
import { bool, text, textList, textMap, textMapPatch } from '#path/fields.ts';
import { type DriftAction, driftActions } from '../../model/drift.ts';
import { checkTemplate, templateOf } from '../../template/naming.ts';
import { templateLengthMax } from '../../template/parse.ts';
import { pauseFields } from '../pause/fields.ts';
import type { Wanted } from './merge.ts';
import type { DestinationValues } from './store.ts';

const rateGroupRule = 'rate_group must be 1 to 64 letters, digits, ".", "_" and "-", and begin with a letter or digit';
const rateGroup = () => text().pipe(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, rateGroupRule));

/** The fields of every destination type (docs/destinations/README.md). */
export const commonFields = (definition: DestinationDefinition) => ({
  secret_name_template: text(templateLengthMax)
    .optional()
    .meta({
      description: 'Template of the names at the destination; empty: the default of the type',
      ...form('Name template', 'names'),
    }),
  granularity: text()
    .pipe(z.enum(['secret-path', 'secret-key'], { error: 'granularity must be "secret-path" or "secret-key"' }))
    .optional()
    .meta({
      description: `Whether each secret or each of its keys becomes one object. Default: ${definition.granularity}`,
      ...form('Granularity', 'names'),
    }),
  adopt: bool()
    .default(false)
    .meta({
      description: 'Take over objects of the same name that the sync did not write',
      ...form('Adopt', 'objects'),
      ...own,
    }),
  on_drift: text()
    .pipe(z.enum(driftActions, { error: `on_drift must be one of ${driftActions.join(', ')}` }))
    .default('report')
    .meta({
      description:
        'What looks in the background do when objects there differ from what the sync left: report shows it, repair also queues a sync; off: no looks',
      ...form('On drift', 'objects'),
      ...own,
    }),
  ...(definition.tags === undefined
    ? {}
    : {
        custom_tags: textMap()
          .optional()
          .meta({ description: 'Tags for the objects, in addition to the built-in ones', ...form('Tags', 'objects') }),
      }),
  rate_group: rateGroup()
    .optional()
    .meta({
      description:
        'Destinations of this type in this namespace with the same group share one rate. Default: those that the provider is known to count together',
      ...form('Rate group', 'target'),
      ...own,
    }),
  ...pauseFields('Pauses the destination'),
  ...networkFields,
});

/** Fields that only a merge accepts, or that it accepts in another form. */
export const mergeFields = (definition: DestinationDefinition) =>
  definition.tags === undefined
    ? {}
    : {
        custom_tags: textMapPatch()
          .nullable()
          .optional()
          .meta({ description: 'Tags to add or change; null removes a tag' }),
        tags_to_remove: textList().optional().meta({ description: 'Keys of custom tags to remove' }),
      };

type Given = Readonly<Record<string, unknown>>;

/**
 * Turns parsed fields into the values to store. Of the type's own fields, only the given ones are stored.
 * @throws AppError `bad-request` with every rule that the fields break, without sensitive values
 */
export function toValues(
  definition: DestinationDefinition,
  { names, values: given }: Wanted,
): Omit<DestinationValues, 'name'> {
  const connection = pick(given, Object.keys(definition.fields));
  const problems = definition.validate(connection);
  if (problems.length > 0) throw invalid(problems);
  const granularity = (given['granularity'] as Granularity | undefined) ?? definition.granularity;
  const own = given['secret_name_template'];
  const template = typeof own === 'string' && own !== '' ? own : null;
  checkTemplate(templateOf(definition, template, granularity), granularity);
  const tags = (given['custom_tags'] as Readonly<Record<string, string>> | undefined) ?? {};
  return {
    connection: pick(connection, [...names]),
    granularity,
    template,
    tags: definition.tags === undefined ? {} : definition.tags.normalise(tags),
    network: {
      disable_strict_networking: given['disable_strict_networking'] === true,
      allowed_ipv4_addresses: list(given['allowed_ipv4_addresses']),
      allowed_ipv6_addresses: list(given['allowed_ipv6_addresses']),
      allowed_ports: list(given['allowed_ports']),
    },
    adopt: given['adopt'] === true,
    rateGroup: (given['rate_group'] as string | undefined) ?? null,
    onDrift: (given['on_drift'] as DriftAction | undefined) ?? 'report',
  };
}

const list = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : []);

function pick(given: Given, names: readonly string[]): Given {
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
}
