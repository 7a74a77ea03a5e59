import { isJsonObject, type JsonObject } from '#core/json/json.ts';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { integer } from '#path/fields.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { locationOf } from '../../shared/secret-path.ts';
import { secretOf } from '../../shared/stored-version.ts';
import { path, version } from '../fields.ts';
import type { ReadParts } from './read.ts';
import { mayBeUnreadable, unreadable } from './reply.ts';
import { openSecret } from './secret.ts';

const depth = integer().default(0).meta({ description: 'Number of levels to show; 0 for all' });

/** `subkeys/*path`: the structure of a secret without its values. */
export function subkeysRow(parts: ReadParts): Row {
  return {
    pattern: 'subkeys/*path',
    help: 'Shows the keys of a secret without the values.',
    operations: {
      read: operation(
        { path, version, depth },
        {
          summary: 'Read the keys of a version of a secret',
          replies: mayBeUnreadable,
          run: (input, context) => readKeys(parts, locationOf(context, input.path), input, context.hold),
        },
      ),
    },
  };
}

interface Wanted {
  readonly version: number;
  readonly depth: number;
}

async function readKeys(
  parts: ReadParts,
  location: SecretLocation,
  wanted: Wanted,
  hold: RequestContext['hold'],
): Promise<Reply | ReplyWith<404>> {
  const found = await openSecret(parts, { ...location, version: wanted.version, hold });
  if (found === undefined) return undefined;
  if (found.json === undefined) return unreadable({ subkeys: null, metadata: found.metadata });
  const levels = wanted.depth > 0 ? wanted.depth : Number.POSITIVE_INFINITY;
  const subkeys = keysOf(await secretOf(found.json), levels);
  return { data: { subkeys, metadata: found.metadata } };
}

/** Replaces with null every value that is not an object with members, and everything deeper than `levels`. */
export function keysOf(data: JsonObject, levels: number): JsonObject {
  const entries = Object.entries(data).map(([key, value]) => {
    const descends = levels > 1 && isJsonObject(value) && Object.keys(value).length > 0;
    return [key, descends ? keysOf(value, levels - 1) : null] as const;
  });
  return Object.fromEntries(entries);
}
