import { badRequest } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, pathText, text } from '#path/fields.ts';
import type { MountKind } from './kind/kind.ts';
import { kindOf, namesText, versionsText } from './kind/version.ts';
import type { MountParts } from './parts.ts';
import { description, keptByOthers, options, type Settings } from './settings/fields.ts';
import { noSettings, settingsAfter } from './settings/settings.ts';
import { readTuning, type Tuning, writeTuning } from './tuning.ts';
import { showMount } from './view.ts';

const path = pathText('Path of the mount');

const enableFields = ({ types, config }: MountKind) => ({
  path,
  type: text()
    .optional()
    .meta({ description: namesText(types) }),
  description,
  config,
  options: options(versionsText(types)),
  local: bool().default(false).meta({ description: 'Stored and returned, but without effect' }),
  seal_wrap: bool()
    .default(false)
    .meta({ description: 'Stored and returned, but without effect: all data is encrypted' }),
});

/**
 * `sys/mounts/*path` and `sys/auth/*path`. A mount's path may contain slashes, so a path that ends in `tune` also matches here.
 */
export function mountRow(parts: MountParts, kind: MountKind): Row {
  const { segment, title, withArticle, marks, settings } = kind;
  return {
    pattern: `${segment}/*path`,
    restIsName: true,
    help: `Mounts, shows and unmounts ${title}s.`,
    operations: {
      read: operation(
        { path },
        { summary: 'Show a mount', ...marks, run: (input, context) => read(parts, kind, input.path, context) },
      ),
      write: operation(
        { ...enableFields(kind), ...settings },
        {
          summary: `Mount ${withArticle}`,
          ...marks,
          ignores: keptByOthers,
          run: (input, context) => write(parts, kind, input, context),
        },
      ),
      delete: operation(
        { path },
        {
          summary: `Unmount ${withArticle} and remove all its data`,
          ...marks,
          run: (input, context) => disable(parts, kind, input.path, context),
        },
      ),
    },
  };
}

const tunedPath = (given: string): string | undefined => /^(.+)\/tune$/.exec(given)?.[1];

async function read(parts: MountParts, kind: MountKind, given: string, context: RequestContext): Promise<Reply> {
  const tuned = tunedPath(given);
  if (tuned !== undefined) return readTuning(parts, kind, tuned, context);
  const wanted = kind.stored(given);
  const mount = await parts.mounts.in(context.namespace).find(wanted);
  if (mount === undefined || !kind.shows(wanted)) throw badRequest(kind.absent(wanted));
  return { data: showMount(mount), flat: true };
}

interface Wanted extends Tuning {
  readonly path: string;
  readonly type?: string | undefined;
  readonly config?: (Settings & { readonly force_no_cache: boolean }) | undefined;
  readonly local: boolean;
  readonly seal_wrap: boolean;
}

async function write(parts: MountParts, kind: MountKind, input: Wanted, context: RequestContext): Promise<Reply> {
  const tuned = tunedPath(input.path);
  if (tuned !== undefined) return writeTuning(parts, kind, { ...input, path: tuned }, context);
  await parts.mounts.in(context.namespace).enable({
    ...kindOf(kind.types, input.type, input.options),
    path: kind.created(input.path),
    description: input.description ?? '',
    config: settingsAfter(noSettings, input.config ?? {}, 'config.'),
    local: input.local,
    sealWrap: input.seal_wrap,
  });
  return undefined;
}

/** Tokens of logins during the call are revoked after the mount is removed; the call can be repeated. */
async function disable(parts: MountParts, kind: MountKind, given: string, context: RequestContext): Promise<Reply> {
  const { namespace, signal } = context;
  const path = kind.removed(given);
  await kind.revoke(namespace, path, signal);
  const warnings = await parts.mounts.in(namespace).disable(path, parts.changed, signal);
  await kind.revoke(namespace, path, signal);
  return warnings.length === 0 ? undefined : { warnings };
}
