import type { Engine } from '#path/contract/engine.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { jsonObject, pathText } from '#path/fields.ts';

/** An operation without fields. */
export const reading = (run: (input: object, context: RequestContext) => Promise<AnyReply>, marks: object = {}) =>
  operation({}, { summary: 'Read', ...marks, replies: { 200: 'own', '2XX': 'envelope' }, run });

/**
 * An engine that stores all members that it is sent, as key/value version 1 does. The path comes from the context, because a
 * parameter would hide a member of the same name.
 */
export function plainEngine(kept = new Map<string, object>()): Engine {
  const row: Row = {
    pattern: '*path',
    help: 'Keeps secrets.',
    exists: async (_input, { path }) => kept.has(path),
    operations: {
      read: reading(async (_input, { path }) => {
        const data = kept.get(path);
        return data && { data, leaseDuration: 2_764_800 };
      }),
      list: reading(async (_input, { path }) => {
        const names = [...kept.keys()].filter((name) => name.startsWith(path));
        return { data: { keys: names.map((name) => name.slice(path.length)) } };
      }),
      write: operation(
        {},
        {
          summary: 'Write a secret',
          anyFields: true,
          large: true,
          run: async (input, { path }) => {
            kept.set(path, input);
            return undefined;
          },
        },
      ),
      delete: reading(async (_input, { path }) => {
        kept.delete(path);
        return undefined;
      }),
    },
  };
  return { type: 'kv', rows: [row], matches: ({ options }) => options?.['version'] !== '2' };
}

/** An engine whose secrets are one object, under `data/`. */
export function versionedEngine(): Engine {
  const kept = new Map<string, object>();
  const path = pathText('Path of the secret');
  const write = operation(
    { path, data: jsonObject().meta({ description: 'The secret', sensitive: true }), options: jsonObject().optional() },
    {
      summary: 'Write a version',
      large: true,
      run: async (input) => {
        kept.set(input.path, input.data);
        return { data: { version: 1 } };
      },
    },
  );
  const rows: readonly Row[] = [
    {
      pattern: 'data/*path',
      help: 'A version.',
      operations: {
        read: operation(
          { path },
          { summary: 'Read', run: async (input) => ({ data: { data: kept.get(input.path) ?? null } }) },
        ),
        write,
        patch: write,
      },
    },
    {
      pattern: 'deleted',
      help: 'A version that is gone.',
      operations: {
        read: operation(
          {},
          {
            summary: 'Read',
            replies: { 404: 'envelope' },
            run: async () => ({ status: 404, data: { data: null, metadata: {} } }),
          },
        ),
      },
    },
  ];
  return {
    type: 'kv',
    rows,
    matches: ({ options }) => options?.['version'] === '2',
    unsupportedPathWarning: (verb) => `this mount has versions: ${verb} elsewhere`,
  };
}
