import { permissionDenied } from '#core/errors.ts';
import type { MountConfig } from '#path/contract/mount.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { isAddressAllowed } from '../../cidr.ts';
import type { TokenBounds } from '../../token/issue/request.ts';
import type { TokenSettings } from './settings.ts';

/**
 * The limits that a role sets for the token of a login.
 *
 * @throws AppError `permission-denied` for a login from an address that the token cannot be used from
 */
export function boundsOf(settings: TokenSettings, { mount, connection }: RequestContext): TokenBounds {
  const cidrs = settings.token_bound_cidrs;
  if (!isAddressAllowed(cidrs, connection.remoteAddress)) throw permissionDenied();
  const type = typeOf(settings, mount.config);
  const life = { ttl: settings.token_ttl, maxTtl: settings.token_max_ttl, cidrs };
  const noDefaultPolicy = settings.token_no_default_policy;
  // A mount can be tuned to batch tokens after its roles were written.
  if (type === 'batch') {
    return { ...life, type, noDefaultPolicy, explicitMaxTtl: 0, period: 0, numUses: 0, renewable: false };
  }
  return {
    ...life,
    type,
    noDefaultPolicy,
    renewable: true,
    explicitMaxTtl: settings.token_explicit_max_ttl,
    period: settings.token_period,
    numUses: settings.token_num_uses,
  };
}

/** A mount that is tuned to `service` or `batch` decides, then the role, then the default of the mount. */
function typeOf({ token_type: own }: TokenSettings, config: MountConfig): 'service' | 'batch' {
  const tuned = config['token_type'];
  if (tuned === 'service' || tuned === 'batch') return tuned;
  const said = own === 'default' ? tuned : own;
  return said === 'batch' || said === 'default-batch' ? 'batch' : 'service';
}
