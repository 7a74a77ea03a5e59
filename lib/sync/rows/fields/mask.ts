import { badField } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { isSensitive, namesWith } from './forms.ts';

type Given = Readonly<Record<string, unknown>>;

/** The value that reads show for a sensitive field. */
export const masked = '*****';

const isMask = (value: unknown): boolean => typeof value === 'string' && /^\*+$/.test(value);

/** The connection as reads show it: sensitive values masked, absent and empty ones left out. */
export function maskedConnection(definition: DestinationDefinition, connection: Given): object {
  const shown = Object.entries(connection).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(
    shown.map(([name, value]) => [name, isSensitive(definition.fields, name) ? masked : value]),
  );
}

/** Replaces masks by the stored values: a client that sends back what it read means to keep the value. */
export function unmask(definition: DestinationDefinition, given: Given, stored: Given | undefined): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!isSensitive(definition.fields, name) || !isMask(value)) return [name, value];
      const kept = stored?.[name];
      if (kept === undefined)
        throw badField(name, `${name} is masked (${masked}) and no value is stored: send the value itself`);
      return [name, kept];
    }),
  );
}

/** Sensitive fields that keep their value because the request leaves them out or sends their mask. */
export function missingCredentials(definition: DestinationDefinition, after: Given, request: Given): readonly string[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null && !isMask(value);
  return namesWith(definition.fields, 'sensitive').filter(
    (name) => after[name] !== undefined && !isGiven(request[name]),
  );
}
