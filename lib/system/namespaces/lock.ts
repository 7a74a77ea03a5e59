import { badField } from '#core/errors.ts';
import { isRoot } from '#core/namespace.ts';
import type { Namespaces } from '#mounts/contract/namespaces.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { fullPath, path } from './fields.ts';

const unlock_key = text(255).default('').meta({
  description: 'The key that the lock request returned; callers with sudo on the path need none',
  sensitive: true,
});

/** `sys/namespaces/api-lock`: refuses all requests to a namespace and those below it, except the one that unlocks it. */
export const lockRows = (namespaces: Namespaces): readonly Row[] => [
  {
    pattern: 'namespaces/api-lock/lock',
    help: 'Locks this namespace.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Lock this namespace',
          knownFieldsOnly: true,
          run: (_input, context) => lock(namespaces, '', context),
        },
      ),
    },
  },
  {
    pattern: 'namespaces/api-lock/lock/*path',
    help: 'Locks a namespace below this one.',
    operations: {
      write: operation(
        { path },
        {
          summary: 'Lock a namespace',
          knownFieldsOnly: true,
          run: (input, context) => lock(namespaces, input.path, context),
        },
      ),
    },
  },
  {
    pattern: 'namespaces/api-lock/unlock',
    help: 'Unlocks this namespace.',
    operations: {
      write: operation(
        { unlock_key },
        {
          summary: 'Unlock this namespace',
          knownFieldsOnly: true,
          whileLocked: true,
          run: (input, context) => unlock(namespaces, '', input.unlock_key, context),
        },
      ),
    },
  },
  {
    pattern: 'namespaces/api-lock/unlock/*path',
    help: 'Unlocks a namespace below this one.',
    operations: {
      write: operation(
        { path, unlock_key },
        {
          summary: 'Unlock a namespace',
          knownFieldsOnly: true,
          whileLocked: true,
          run: (input, context) => unlock(namespaces, input.path, input.unlock_key, context),
        },
      ),
    },
  },
];

async function lock(namespaces: Namespaces, given: string, context: RequestContext): Promise<Reply> {
  return { data: { unlock_key: await namespaces.lock(lockable(given, context)) } };
}

/** The placeholder that the command line of the API family sends when no key was given. */
const notGiven = '(not set)';

async function unlock(namespaces: Namespaces, given: string, key: string, context: RequestContext): Promise<Reply> {
  const full = lockable(given, context);
  const isGiven = key !== '' && key !== notGiven;
  if (!isGiven && !context.sudo) throw badField('unlock_key', 'unlock_key is missing');
  await namespaces.unlock(full, isGiven ? key : undefined);
  return undefined;
}

/** Refuses to lock the root, which could never be unlocked. @throws AppError `bad-request` */
function lockable(given: string, { namespace }: RequestContext): string {
  const isOwn = given.replaceAll('/', '') === '';
  if (isOwn && isRoot(namespace)) throw badField('path', 'the root namespace cannot be locked');
  return isOwn ? namespace.path : fullPath(namespace, given);
}
