import { badField } from '#core/errors.ts';
import { text } from '#path/fields.ts';

/** The form in which names of entities, aliases and groups are compared. Their bound makes it fit into an index. */
export const nameKey = (name: string): string => name.toLowerCase();

const nameCharactersMax = 512;

/** The field of a name. */
export const nameText = () => text(nameCharactersMax);

const entriesMax = 64;
const keyCharactersMax = 128;
const valueCharactersMax = 512;

/**
 * Bounds the metadata of an entity, an alias or a group.
 *
 * @throws AppError `bad-request`
 */
export function mustBeShort(
  field: 'metadata' | 'custom_metadata',
  metadata: Readonly<Record<string, string>> | undefined,
): void {
  const entries = Object.entries(metadata ?? {});
  if (entries.length > entriesMax) throw badField(field, `metadata may have at most ${entriesMax} entries`);
  for (const [key, value] of entries) {
    if (key.length > keyCharactersMax)
      throw badField(field, `a metadata key may have at most ${keyCharactersMax} characters`);
    if (value.length > valueCharactersMax)
      throw badField(field, `a metadata value may have at most ${valueCharactersMax} characters`);
  }
}

/** Metadata from another system, with replacement characters for those that cannot be stored. */
export const storable = (metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(metadata).map((pair) => pair.map(storableText)));

const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Whether a change failed because the name is taken. */
export const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';
