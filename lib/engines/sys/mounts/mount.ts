import { badRequest } from '../../../core/errors.ts';
import { bool, pathText, text } from '../../../path/fields.ts';
import { operation, type Reply, type RequestContext, type Row } from '../../../path/row.ts';
import { config, description, options, type Settings, settings } from './fields.ts';
import { kindOf, namesText, versionsText } from './kind.ts';
import { mountPath, newMountPath, removablePath } from './mount-path.ts';
import { isSecretMount, type MountParts } from './parts.ts';
import { noSettings, settingsAfter } from './settings.ts';
import { readTuning, type Tuning, writeTuning } from './tuning.ts';
import { showMount } from './view.ts';

const path = pathText('Path of the mount');

const enableFields = (engines: MountParts['engines']) => ({
  path,
  type: text()
    .optional()
    .meta({ description: namesText(engines) }),
  description,
  config,
  options: options(versionsText(engines)),
  local: bool().default(false).meta({ description: 'Kept for clients; not used' }),
  seal_wrap: bool().default(false).meta({ description: 'Kept for clients; everything is encrypted' }),
});

/**
 * `sys/mounts/*path`. A mount's path may have slashes in it, so `tune` at the end of such a path comes here too.
 */
export function mountRow(parts: MountParts): Row {
  return {
    pattern: 'mounts/*path',
    help: 'Mounts, shows and unmounts a secrets engine.',
    operations: {
      read: operation(
        { path },
        { summary: 'Show a mount.', run: (input, context) => read(parts, input.path, context) },
      ),
      write: operation(
        { ...enableFields(parts.engines), ...settings },
        { summary: 'Mount a secrets engine.', run: (input, context) => write(parts, input, context) },
      ),
      delete: operation(
        { path },
        {
          summary: 'Unmount a secrets engine and remove all its data.',
          run: (input, context) => disable(parts, input.path, context),
        },
      ),
    },
  };
}

const tunedPath = (given: string): string | undefined => /^(.+)\/tune$/.exec(given)?.[1];

async function read(parts: MountParts, given: string, context: RequestContext): Promise<Reply> {
  const tuned = tunedPath(given);
  if (tuned !== undefined) return readTuning(parts, tuned, context);
  const wanted = mountPath(given);
  const mount = await parts.mounts.in(context.namespace).find(wanted);
  if (mount === undefined || !isSecretMount(mount)) throw badRequest(`No secret engine mount at ${wanted}`);
  return { data: showMount(mount), flat: true };
}

interface Wanted extends Tuning {
  readonly path: string;
  readonly type?: string | undefined;
  readonly config?: (Settings & { readonly force_no_cache: boolean }) | undefined;
  readonly local: boolean;
  readonly seal_wrap: boolean;
}

async function write(parts: MountParts, input: Wanted, context: RequestContext): Promise<Reply> {
  const tuned = tunedPath(input.path);
  if (tuned !== undefined) return writeTuning(parts, tuned, input, context);
  const kind = kindOf(parts.engines, input.type, input.options);
  await parts.mounts.in(context.namespace).enable({
    ...kind,
    path: newMountPath(input.path),
    description: input.description ?? '',
    config: settingsAfter(noSettings, input.config ?? {}),
    local: input.local,
    sealWrap: input.seal_wrap,
  });
  return undefined;
}

async function disable(parts: MountParts, given: string, context: RequestContext): Promise<Reply> {
  const mounts = parts.mounts.in(context.namespace);
  const warnings = await mounts.disable(removablePath(given), parts.changed, context.signal);
  return warnings.length === 0 ? undefined : { warnings };
}
