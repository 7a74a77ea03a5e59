import { badField, badRequest } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import type { MountKind } from './kind/kind.ts';
import { isAuthPath } from './kind/path.ts';
import { tunedOptions, versionsText } from './kind/version.ts';
import type { MountParts } from './parts.ts';
import { description, keptByOthers, options as optionsField, type Settings } from './settings/fields.ts';
import { settingsAfter } from './settings/settings.ts';
import { showTuning } from './view.ts';

const path = pathText('Path of the mount');

/** `sys/mounts/:path/tune` and `sys/auth/:path/tune`. */
export function tuneRow(parts: MountParts, kind: MountKind): Row {
  const { segment, marks, settings, types } = kind;
  const options = optionsField(versionsText(types));
  return {
    pattern: `${segment}/:path/tune`,
    help: 'Shows and changes the settings of a mount. options.version raises the version of its engine.',
    operations: {
      read: operation(
        { path },
        {
          summary: 'Show the settings of a mount',
          ...marks,
          run: (input, context) => readTuning(parts, kind, input.path, context),
        },
      ),
      write: operation(
        { path, description, options, ...settings },
        {
          summary: 'Change settings of a mount',
          ignores: keptByOthers,
          ...marks,
          run: (input, context) => writeTuning(parts, kind, input, context),
        },
      ),
    },
  };
}

/** A change of a mount's settings; absent fields keep their value. */
export interface Tuning extends Settings {
  readonly description?: string | undefined;
  readonly options?: Readonly<Record<string, string>> | undefined;
}

type Asking = Pick<RequestContext, 'namespace'>;

/** @throws AppError `bad-request` when there is no such mount */
export async function readTuning(
  { mounts }: MountParts,
  kind: MountKind,
  given: string,
  { namespace }: Asking,
): Promise<Reply> {
  const path = kind.stored(given);
  const mount = await mounts.in(namespace).find(path);
  if (mount === undefined) throw noMount(path);
  return { data: showTuning(mount), flat: true };
}

/** A mount upgraded to a higher engine version keeps its secrets. */
export async function writeTuning(
  { mounts }: MountParts,
  kind: MountKind,
  { path: given, ...change }: Tuning & { readonly path: string },
  { namespace }: Asking,
): Promise<Reply> {
  const path = kind.stored(given);
  const settings = isAuthPath(path) ? settingsOf(change) : withoutAuth(settingsOf(change));
  if (path === 'auth/token/' && settings.token_type === 'batch')
    throw badField(
      'token_type',
      "'token_type' of auth/token cannot be 'batch': use 'default-batch', or a token role of that type",
    );
  const tuned = await mounts.in(namespace).tune(path, (mount) => ({
    description: change.description ?? mount.description,
    options: tunedOptions(kind.types, mount, change.options),
    config: settingsAfter(mount.config, settings),
  }));
  if (!tuned) throw noMount(path);
  return undefined;
}

/** @throws AppError `bad-request` for settings that only auth methods have */
function withoutAuth({ token_type, user_lockout_config, ...others }: Settings): Settings {
  if ((token_type ?? '') !== '') throw badField('token_type', "'token_type' can only be modified on auth mounts");
  if (user_lockout_config !== undefined)
    throw badField('user_lockout_config', "'user_lockout_config' can only be modified on auth mounts");
  return others;
}

const settingsOf = (change: Tuning): Settings => ({
  default_lease_ttl: change.default_lease_ttl,
  max_lease_ttl: change.max_lease_ttl,
  listing_visibility: change.listing_visibility,
  audit_non_hmac_request_keys: change.audit_non_hmac_request_keys,
  audit_non_hmac_response_keys: change.audit_non_hmac_response_keys,
  passthrough_request_headers: change.passthrough_request_headers,
  allowed_response_headers: change.allowed_response_headers,
  token_type: change.token_type,
  user_lockout_config: change.user_lockout_config,
});

const noMount = (path: string) => badRequest(`cannot fetch sysview for path ${JSON.stringify(path)}: no mount there`);
