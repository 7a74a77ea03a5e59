import { badField, notFound } from '#core/errors.ts';
import type { Namespaces } from '#mounts/contract/namespaces.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import type { EnqueueDirty } from '#store/outbox.ts';
import {
  checkedMetadata,
  custom_metadata,
  fullPath,
  metadataPatch,
  namespaceView,
  newNamespacePath,
  path,
} from './fields.ts';

/** The parts of the rows about namespaces. */
export interface NamespaceRowParts {
  readonly namespaces: Namespaces;
  readonly changed: EnqueueDirty;
}

type Metadata = Readonly<Record<string, string>>;

/** `sys/namespaces/*path`. */
export const namespaceRow = (parts: NamespaceRowParts): Row => ({
  pattern: 'namespaces/*path',
  restIsName: true,
  help: 'Manages a namespace, which has its own mounts, policies, tokens and destinations.',
  operations: {
    read: operation(
      { path },
      { summary: 'Show a namespace', run: (input, context) => read(parts, input.path, context) },
    ),
    write: operation(
      { path, custom_metadata },
      {
        summary: 'Create a namespace, or replace the metadata of an existing one',
        run: (input, context) => write(parts, input, context),
      },
    ),
    patch: operation(
      { path, custom_metadata: metadataPatch },
      { summary: 'Change the metadata of a namespace', run: (input, context) => patch(parts, input, context) },
    ),
    delete: operation(
      { path },
      {
        summary: 'Delete a namespace and everything in it',
        run: (input, context) => remove(parts, input.path, context),
      },
    ),
  },
});

async function read({ namespaces }: NamespaceRowParts, given: string, { namespace }: RequestContext): Promise<Reply> {
  const found = await namespaces.find(fullPath(namespace, given));
  return found && { data: namespaceView(found) };
}

async function write(
  { namespaces }: NamespaceRowParts,
  input: { readonly path: string; readonly custom_metadata?: Metadata | undefined },
  { namespace }: RequestContext,
): Promise<Reply> {
  const full = newNamespacePath(namespace, input.path);
  const metadata = input.custom_metadata && checkedMetadata(input.custom_metadata);
  return { data: namespaceView(await namespaces.create(full, metadata)) };
}

interface Patch {
  readonly path: string;
  readonly custom_metadata?: Readonly<Record<string, string | null>> | null | undefined;
}

async function patch({ namespaces }: NamespaceRowParts, input: Patch, { namespace }: RequestContext): Promise<Reply> {
  const { custom_metadata: changes } = input;
  const found = await namespaces.patch(fullPath(namespace, input.path), (before) =>
    changes === null ? {} : checkedMetadata(merged(before, changes ?? {})),
  );
  if (found === undefined) throw notFound();
  return { data: namespaceView(found) };
}

const merged = (before: Metadata, changes: Readonly<Record<string, string | null>>): Metadata =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );

async function remove(
  { namespaces, changed }: NamespaceRowParts,
  given: string,
  { namespace, signal }: RequestContext,
): Promise<Reply> {
  if (given.replaceAll('/', '') === '') throw badField('path', 'the path of the namespace is missing');
  const outcome = await namespaces.remove(fullPath(namespace, given), changed, signal);
  return outcome === 'gone' ? undefined : { data: { status: 'in-progress' } };
}
