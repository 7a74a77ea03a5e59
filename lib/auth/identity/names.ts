import { badRequest } from '../../core/errors.ts';
import { text } from '../../path/fields.ts';

/** The form in which names of entities, aliases and groups are compared. An index takes no more of it than the bound of fields. */
export const nameKey = (name: string): string => name.toLowerCase();

const nameCharactersMax = 512;

/** A name that a client gives. */
export const nameText = () => text(nameCharactersMax);

const entriesMax = 64;
const keyCharactersMax = 128;
const valueCharactersMax = 512;

/**
 * Bounds of what clients keep with an entity, an alias or a group.
 *
 * @throws AppError `bad-request`
 */
export function mustBeShort(metadata: Readonly<Record<string, string>> | undefined): void {
  const entries = Object.entries(metadata ?? {});
  if (entries.length > entriesMax) throw badRequest(`metadata has at most ${entriesMax} entries`);
  for (const [key, value] of entries) {
    if (key.length > keyCharactersMax) throw badRequest(`a key of metadata has at most ${keyCharactersMax} characters`);
    if (value.length > valueCharactersMax)
      throw badRequest(`a value of metadata has at most ${valueCharactersMax} characters`);
  }
}

/** What others say of somebody may hold half a character, which cannot be stored. */
export const metadataJson = (metadata: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify(metadata, (_key, value) => (typeof value === 'string' ? value.toWellFormed() : value));

/** Whether a change failed because something of this name is there. */
export const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';
