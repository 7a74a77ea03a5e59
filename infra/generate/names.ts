import type { Described } from './described.ts';

/** `lib/path/type-names.ts`: the path table knows the types by their names only. */
export const typeNames = (types: readonly Described[]): string => `/**
 * Canonical identifiers of destination types, and their aliases. Written by "npm run generate" from the definitions in
 * lib/destinations.
 */
export const typeNames = {
${types.map(({ type, definition }) => `  ${keyOf(type)}: '${definition.alias}',`).join('\n')}
} as const;
`;

const keyOf = (type: string): string => (/^[a-z]+$/.test(type) ? type : `'${type}'`);
