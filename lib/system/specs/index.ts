import { z } from 'zod';
import type { Mount } from '#path/contract/mount.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, text } from '#path/fields.ts';
import { openDocuments, type SpecsParts } from './documents.ts';

export type { SpecsParts } from './documents.ts';

const contextRule = 'expected at most 64 letters, digits and underscores';

const fields = {
  generic_mount_paths: bool()
    .default(false)
    .meta({ description: 'Whether to describe each kind of mount once, with a parameter in place of its path' }),
  context: text()
    .pipe(z.string().regex(/^\w{0,64}$/, contextRule))
    .default('')
    .meta({ description: 'Suffix of each operation id' }),
};

/** `sys/internal/specs/openapi`: one OpenAPI document of all mounts where the caller's policies grant something. */
export function specsRow(parts: SpecsParts): Row {
  const textOf = openDocuments(parts);
  const run = async (
    input: { readonly generic_mount_paths: boolean; readonly context: string },
    context: RequestContext,
  ): Promise<Reply> => {
    const mounts = await described(parts, context);
    const wish = { generic: input.generic_mount_paths, context: input.context, vocabulary: context.vocabulary };
    return { text: { contentType: 'application/json', body: textOf(mounts, wish) } };
  };
  return {
    pattern: 'internal/specs/openapi',
    help: 'Shows the OpenAPI document of everything that the caller can reach.',
    operations: {
      read: operation(fields, { summary: 'Show the OpenAPI document', replies: { 200: 'own' }, run }),
      write: operation(fields, { summary: 'Show the OpenAPI document', replies: { 200: 'own' }, run }),
    },
  };
}

async function described({ mounts }: SpecsParts, context: RequestContext): Promise<readonly Mount[]> {
  const reached: Mount[] = [];
  for (const mount of await mounts.list()) if (await context.reaches(mount.path)) reached.push(mount);
  return reached;
}
