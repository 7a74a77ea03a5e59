import { permissionDenied } from '../../../core/errors.ts';
import type { MountConfig } from '../../../path/contract/mount.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import type { TokenBounds } from '../../methods/contract.ts';
import { mayComeFrom } from '../../token/find/bound.ts';
import type { TokenSettings } from './settings.ts';

/**
 * What a role wants the token of a login to be.
 *
 * @throws AppError `permission-denied` for a login from an address that the token could not be used from
 */
export function boundsOf(settings: TokenSettings, { mount, connection }: RequestContext): TokenBounds {
  const cidrs = settings.token_bound_cidrs;
  if (!mayComeFrom(cidrs, connection.remoteAddress)) throw permissionDenied();
  const type = typeOf(settings, mount.config);
  const life = { ttl: settings.token_ttl, maxTtl: settings.token_max_ttl, cidrs };
  const noDefaultPolicy = settings.token_no_default_policy;
  // A mount may be tuned to batch tokens when its roles have been written.
  if (type === 'batch') {
    return { ...life, type, noDefaultPolicy, explicitMaxTtl: 0, period: 0, numUses: 0, renewable: false };
  }
  return {
    ...life,
    ...{ type, noDefaultPolicy, renewable: true, explicitMaxTtl: settings.token_explicit_max_ttl },
    ...{ period: settings.token_period, numUses: settings.token_num_uses },
  };
}

/** A mount that is tuned to `service` or `batch` decides, then the role, then what the mount says where roles do not. */
function typeOf({ token_type: own }: TokenSettings, config: MountConfig): 'service' | 'batch' {
  const tuned = config['token_type'];
  if (tuned === 'service' || tuned === 'batch') return tuned;
  const said = own === 'default' ? tuned : own;
  return said === 'batch' || said === 'default-batch' ? 'batch' : 'service';
}
