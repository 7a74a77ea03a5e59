import { z } from 'zod';
import { badField } from '#core/errors.ts';

/** The record after which a page begins. Names the destination, so that the place stays known when it has been deleted. */
export interface RecordPlace {
  readonly type: string;
  readonly name: string;
  readonly mountId: string;
  readonly secretName: string;
}

/** Opaque to clients. */
export const toCursor = ({ type, name, mountId, secretName }: RecordPlace): string =>
  Buffer.from(JSON.stringify([type, name, mountId, secretName])).toString('base64url');

const cursorCharactersMax = 8_192;
const parts = z.tuple([z.string(), z.string(), z.guid(), z.string()]);

/** @throws AppError `bad-request` when this is no cursor */
export function fromCursor(given: string): RecordPlace {
  const parsed = parts.safeParse(given.length > cursorCharactersMax ? undefined : jsonOf(given));
  if (!parsed.success)
    throw badField('after', 'after is invalid: send the `after` of an earlier page with the same filter');
  const [type, name, mountId, secretName] = parsed.data;
  return { type, name, mountId, secretName };
}

function jsonOf(given: string): unknown {
  try {
    return JSON.parse(Buffer.from(given, 'base64url').toString());
  } catch {
    return undefined;
  }
}
