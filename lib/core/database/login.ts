import type { DatabaseLogin, LoginKind } from './address.ts';
import { DatabaseUrlError } from './error.ts';
import type { Parameters } from './parameters.ts';

const kinds: readonly LoginKind[] = ['none', 'password', 'md5', 'scram-sha-256'];
/** Known to libpq, and not to us: they are never used, so that to allow or forbid them changes nothing. */
const foreign: readonly string[] = ['gss', 'sspi', 'oauth'];

/** @throws DatabaseUrlError */
export function loginOf(parameters: Parameters): DatabaseLogin {
  const asked = parameters.take('require_auth');
  const channelBinding = parameters.oneOf('channel_binding', ['disable', 'prefer', 'require']) ?? 'prefer';
  return { allowed: asked ? allowedBy(asked) : new Set(kinds), channelBinding };
}

/** `a,b`: these alone; `!a,!b`: all but these. */
function allowedBy(text: string): ReadonlySet<LoginKind> {
  const listed = text.split(',').map((one) => one.trim());
  const negated = listed.filter((one) => one.startsWith('!'));
  const names = new Set(listed.map((one) => one.replace(/^!/, '')));
  const known = [...names].every((name) => foreign.includes(name) || kinds.some((kind) => kind === name));
  if (!known || (negated.length > 0 && negated.length < listed.length)) {
    throw new DatabaseUrlError(
      `has a require_auth that is no list of ${kinds.join(', ')}, nor of these with an exclamation mark each`,
    );
  }
  const allowed = new Set(kinds.filter((kind) => names.has(kind) !== negated.length > 0));
  if (allowed.size > 0) return allowed;
  throw new DatabaseUrlError('has a require_auth that allows no way of logging in that is supported');
}
