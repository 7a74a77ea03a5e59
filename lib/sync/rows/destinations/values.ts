import { AppError } from '../../../core/errors.ts';
import type { DestinationDefinition, Granularity } from '../../../destinations/contract.ts';
import { checkTemplate, templateOf } from '../../template/naming.ts';
import type { Wanted } from './merge.ts';
import type { DestinationValues } from './store.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * Turns parsed fields into what is stored: of the type's own fields those that were given.
 * @throws AppError `bad-request` with every rule that the fields break; no sensitive value is in it
 */
export function toValues(
  definition: DestinationDefinition,
  { names, values: given }: Wanted,
): Omit<DestinationValues, 'name'> {
  const connection = pick(given, Object.keys(definition.fields));
  const problems = definition.validate(connection);
  if (problems.length > 0) throw new AppError('bad-request', problems);
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
  };
}

const list = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : []);

function pick(given: Given, names: readonly string[]): Given {
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
}
