import { badField } from '#core/errors.ts';
import type { TokenBounds } from '../issue/request.ts';
import type { TokenRole } from '../roles/role.ts';
import type { CreateInput } from './fields.ts';

/** The limits of a new token, with warnings for the reply. */
export interface Limits {
  readonly bounds: Omit<TokenBounds, 'noDefaultPolicy'>;
  readonly warnings: readonly string[];
}

/**
 * Combines the limits of the request and of the role; the lower one applies.
 *
 * @param usual the type where the role leaves it to the mount
 * @throws AppError `bad-request`
 */
export function limitsOf(input: CreateInput, role: TokenRole | undefined, usual: 'service' | 'batch'): Limits {
  const type = typeOf(input.type, role, usual);
  const explicitMaxTtl = lesser('Explicit max TTL', input.explicit_max_ttl, role?.explicit_max_ttl ?? 0);
  const period = lesser('Period', input.period, role?.period ?? 0);
  const numUses = least(input.num_uses, role?.num_uses ?? 0);
  if (type === 'batch')
    mustSuitBatch({ explicit_max_ttl: explicitMaxTtl.value, period: period.value, num_uses: numUses });
  return {
    bounds: {
      type,
      ttl: input.ttl || input.lease,
      maxTtl: 0,
      explicitMaxTtl: explicitMaxTtl.value,
      period: period.value,
      numUses,
      renewable: type === 'service' && input.renewable && role?.renewable !== false,
      cidrs: role?.bound_cidrs ?? [],
    },
    warnings: [...explicitMaxTtl.warnings, ...period.warnings],
  };
}

/** A role of the type `service` or `batch` decides; others set the default for requests without a type. */
function typeOf(asked: string, role: TokenRole | undefined, usual: 'service' | 'batch'): 'service' | 'batch' {
  if (asked !== '' && asked !== 'service' && asked !== 'batch') throw badField('type', "invalid 'token_type' value");
  switch (role?.token_type) {
    case 'service':
    case 'batch':
      return role.token_type;
    case 'default-batch':
      return asked || 'batch';
    case 'default-service':
      return asked || 'service';
    default:
      return asked || usual;
  }
}

function mustSuitBatch(values: Readonly<Record<string, number>>): void {
  const [unfit] = Object.entries(values).filter(([, value]) => value > 0);
  if (unfit !== undefined) throw badField(unfit[0], `batch tokens cannot have "${unfit[0]}" set`);
}

function lesser(what: string, asked: number, role: number): { readonly value: number; readonly warnings: string[] } {
  const value = least(asked, role);
  if (asked === 0 || role === 0 || asked === role) return { value, warnings: [] };
  const text = `${what} specified both during creation call and in role; using the lesser value of ${value} seconds`;
  return { value, warnings: [text] };
}

/** The lower of two limits, where 0 sets no limit. */
const least = (one: number, other: number): number => (one === 0 || other === 0 ? one + other : Math.min(one, other));
