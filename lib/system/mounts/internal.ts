import { AppError } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { mustHaveToken } from '../valid-token.ts';
import { authPath, isAuthPath } from './kind/path.ts';
import type { MountParts } from './parts.ts';
import { showEffective } from './view.ts';

/**
 * `sys/internal/ui/mounts` and below, which user interfaces and the command line request first. Any token is accepted, whatever
 * its policies; the list needs no token. A mount is shown to callers whose policies grant something below it.
 */
export function internalRows(parts: MountParts): readonly Row[] {
  const path = pathText('A path below a mount');
  return [
    {
      pattern: 'internal/ui/mounts',
      help: 'Shows the mounts that the caller may use; without a token, those whose listing is public.',
      operations: {
        read: operation(
          {},
          { summary: 'Show mounts', unauthenticated: true, run: (_input, context) => visible(parts, context) },
        ),
      },
    },
    {
      pattern: 'internal/ui/mounts/*path',
      help: 'Shows the mount that holds a path, if the caller may use it.',
      operations: {
        read: operation(
          { path },
          {
            summary: 'Show the mount of a path',
            unauthenticated: true,
            run: (input, context) => (input.path === '' ? visible(parts, context) : holder(parts, input.path, context)),
          },
        ),
      },
    },
  ];
}

async function visible({ mounts }: MountParts, context: RequestContext): Promise<Reply> {
  if (context.tokenSent) mustHaveToken(context);
  const secret: Record<string, object> = {};
  const auth: Record<string, object> = {};
  for (const mount of await mounts.in(context.namespace).list()) {
    if (!(await isVisible(mount, context))) continue;
    if (isAuthPath(mount.path)) auth[mount.path.slice(authPath.length)] = brief(mount, context);
    else secret[mount.path] = brief(mount, context);
  }
  return { data: { secret, auth } };
}

const isVisible = async (mount: Mount, context: RequestContext): Promise<boolean> =>
  mount.config.listing_visibility === 'unauth' || context.reaches(mount.path);

/** A caller without a token gets only what a login form needs. */
const brief = (mount: Mount, context: RequestContext): object =>
  context.caller === undefined
    ? { type: mount.type, description: mount.description, options: mount.options }
    : showEffective(mount);

async function holder({ mounts }: MountParts, path: string, context: RequestContext): Promise<Reply> {
  mustHaveToken(context);
  const mount = await mounts.resolve(path, context.namespace);
  if (mount === undefined || !(await context.reaches(mount.path))) throw denied(path);
  return { data: { ...showEffective(mount), path: mount.path } };
}

/** The same error for a missing mount and for missing permission, so that callers cannot probe for mounts. */
const denied = (path: string): AppError =>
  new AppError(
    'permission-denied',
    `preflight capability check returned 403, please ensure client's policies grant access to path ${JSON.stringify(`${path.replace(/\/+$/, '')}/`)}`,
  );
