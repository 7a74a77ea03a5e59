import { badRequest } from '../../../core/errors.ts';
import type { DestinationDefinition } from '../../../destinations/contract.ts';
import { isSensitive, namesWith } from './fields.ts';

type Given = Readonly<Record<string, unknown>>;

/** What a sensitive field reads as. */
export const masked = '*****';

const isMask = (value: unknown): boolean => typeof value === 'string' && /^\*+$/.test(value);

/** Values as people may see them: sensitive ones masked, absent and empty ones left out. */
export function maskedConnection(definition: DestinationDefinition, connection: Given): object {
  const shown = Object.entries(connection).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(
    shown.map(([name, value]) => [name, isSensitive(definition.fields, name) ? masked : value]),
  );
}

/** A client that sends back what it read means the value that is stored. */
export function unmask(definition: DestinationDefinition, given: Given, stored: Given | undefined): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!isSensitive(definition.fields, name) || !isMask(value)) return [name, value];
      const kept = stored?.[name];
      if (kept === undefined)
        throw badRequest(`${name} is masked (${masked}) and no value is stored: send the value itself`);
      return [name, kept];
    }),
  );
}

/** Sensitive fields whose value stays though the request does not give it: left out, or sent as it was read. */
export function missingCredentials(definition: DestinationDefinition, after: Given, request: Given): readonly string[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null && !isMask(value);
  return namesWith(definition.fields, 'sensitive').filter(
    (name) => after[name] !== undefined && !isGiven(request[name]),
  );
}
