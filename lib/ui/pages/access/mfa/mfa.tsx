import { textOf } from '#client/wire/json.ts';
import { accessUrl } from '../address.ts';
import type { Kind } from '../described/kind.ts';
import { Things } from '../described/things.tsx';
import { Enrol } from './enrol.tsx';

const methods: Kind = {
  id: 'mfa-methods',
  noun: 'MFA method',
  title: 'MFA methods',
  list: 'identity/mfa/method/totp',
  create: 'identity/mfa/method/totp',
  icon: 'lock',
  empty: 'A method says how the codes of authenticators (TOTP) are made and checked.',
  consequence: 'All its enrolments end. Logins that need a code of it are refused.',
  url: (query) => accessUrl('mfa', query),
  more: (info) => textOf(info, 'issuer'),
  above: (_stored, id) => <Enrol method={id} />,
};

const enforcements: Kind = {
  id: 'mfa-enforcements',
  noun: 'enforcement',
  title: 'MFA enforcements',
  list: 'identity/mfa/login-enforcement',
  icon: 'lock',
  empty: 'An enforcement names the logins that need a code of one of its methods.',
  consequence: 'Logins that it named no longer need a code.',
  url: (query) => accessUrl('enforcements', query),
};

export const MfaMethods = () => <Things kind={methods} />;
export const Enforcements = () => <Things kind={enforcements} />;
