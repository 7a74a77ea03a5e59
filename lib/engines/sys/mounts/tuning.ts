import { badRequest } from '../../../core/errors.ts';
import type { Reply } from '../../../path/row.ts';
import type { Settings } from './fields.ts';
import { tunedOptions } from './kind.ts';
import { mountPath } from './mount-path.ts';
import type { MountParts } from './parts.ts';
import { settingsAfter } from './settings.ts';
import { showTuning } from './view.ts';

/** A change of a mount's settings; what is not given stays. */
export interface Tuning extends Settings {
  readonly description?: string | undefined;
  readonly options?: Readonly<Record<string, string>> | undefined;
}

/** @throws AppError `bad-request` when there is no such mount */
export async function readTuning({ mounts }: MountParts, given: string): Promise<Reply> {
  const path = mountPath(given);
  const mount = await mounts.find(path);
  if (mount === undefined) throw noMount(path);
  return { data: showTuning(mount), flat: true };
}

/** A mount that goes to a higher version of its engine keeps its secrets. */
export async function writeTuning({ mounts, engines }: MountParts, given: string, change: Tuning): Promise<Reply> {
  const path = mountPath(given);
  if (settingsOf(change).token_type !== undefined && !path.startsWith('auth/'))
    throw badRequest("'token_type' can only be modified on auth mounts");
  const tuned = await mounts.tune(path, (mount) => ({
    description: change.description ?? mount.description,
    options: tunedOptions(engines, mount, change.options),
    config: settingsAfter(mount.config, settingsOf(change)),
  }));
  if (!tuned) throw noMount(path);
  return undefined;
}

const settingsOf = (change: Tuning): Settings => ({
  default_lease_ttl: change.default_lease_ttl,
  max_lease_ttl: change.max_lease_ttl,
  listing_visibility: change.listing_visibility,
  token_type: change.token_type || undefined,
  audit_non_hmac_request_keys: change.audit_non_hmac_request_keys,
  audit_non_hmac_response_keys: change.audit_non_hmac_response_keys,
  passthrough_request_headers: change.passthrough_request_headers,
  allowed_response_headers: change.allowed_response_headers,
});

const noMount = (path: string) => badRequest(`cannot fetch sysview for path ${JSON.stringify(path)}: no mount there`);
