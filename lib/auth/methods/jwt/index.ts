import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { readConfig, writeConfig } from '../../login/kept/config.ts';
import { roleRows, roleWriter } from '../../login/kept/role-rows.ts';
import { findRole, removeRoles, roleAndConfigReader } from '../../login/kept/roles.ts';
import { RemoteFailure } from '../../login/remote/failure.ts';
import { askedRole } from '../../login/role/asked.ts';
import type { AuthMethod, MethodParts } from '../contract.ts';
import type { BrowserParts } from './browser/parts.ts';
import { dropExpiredLogins } from './browser/pending/store.ts';
import { browserRows } from './browser/rows.ts';
import { isForBrowsers } from './browser-settings.ts';
import { checkConfig, configAfter, configFields, type JwtConfig, shownConfig, storedConfig } from './config.ts';
import { defaultRole } from './found.ts';
import { identify, type LoginParts } from './login.ts';
import { type RoleInput, roleAfter, roleBefore, roleFields, shownRole, storedRole } from './role.ts';
import type { Provider } from './verify/discovery.ts';
import { type Keys, openKeys } from './verify/keys.ts';

/** Users log in at a known issuer by browser, and holders of its signed tokens with a token. */
export const jwtMethod: AuthMethod = {
  type: 'jwt',
  names: ['oidc'],
  removeSecrets: removeRoles,
  expire: dropExpiredLogins,
  async settingsOf(store, mountId, { role = '' }) {
    const settings = await findRole(store, mountId, role);
    return settings && storedRole(settings).token;
  },
  open(parts) {
    const { store, remote, clock, log } = parts;
    const keys = openKeys(remote, clock);
    const shared: BrowserParts = { store, remote, log, keys, read: roleAndConfigReader(store), now: () => clock.now() };
    return {
      rows: [
        loginRow(shared, parts.login),
        ...browserRows(shared, parts.login),
        configRow(parts, keys),
        ...roleRows(parts, roleSpec(parts)),
      ],
      loginRole: async (data, { id }) => askedRole(data) ?? defaultRole(parts.store, id),
    };
  },
};

function loginRow(parts: LoginParts, login: MethodParts['login']): Row {
  const fields = {
    role: text(512).default('').meta({ description: 'Name of the role; default: default_role of the configuration' }),
    jwt: text().default('').meta({ description: 'The signed token', sensitive: true }),
  };
  return {
    pattern: 'login',
    help: 'Logs in with a signed token.',
    operations: {
      write: login(fields, { summary: 'Log in', identify: (input, context) => identify(parts, input, context) }),
    },
  };
}

const configRow = ({ store }: MethodParts, keys: Keys): Row => ({
  pattern: 'config',
  help: 'Configures the keys that verify tokens.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read the configuration',
        async run(_input, { mount }) {
          const config = await readConfig(store, mount.id);
          return config && { data: shownConfig(storedConfig(config)) };
        },
      },
    ),
    write: operation(configFields, {
      summary: 'Replace the configuration',
      async run(input, { mount }) {
        const config = configAfter(await readConfig(store, mount.id), input);
        checkConfig(config);
        await keys.check(config).catch((error) => refuseUnreadable(config, error));
        await writeConfig(store, mount.id, config);
        const missing = isForBrowsers(config) ? missingEndpoints(await keys.provider(config)) : [];
        return missing.length === 0 ? undefined : { warnings: missing };
      },
    }),
  },
});

/** Warnings about a provider at which users cannot log in. */
const missingEndpoints = ({ endpoints: { authorization, device, token } }: Provider): readonly string[] => [
  ...((authorization ?? device) === undefined
    ? ['The provider names no authorization endpoint: logins by browser are sent to /authorize below its URL.']
    : []),
  ...(token === undefined ? ['The provider names no token endpoint: logins that return with a code will fail.'] : []),
];

/** Refuses a configuration whose keys cannot be read, since every login would fail. */
function refuseUnreadable(config: JwtConfig, error: unknown): never {
  if (!(error instanceof RemoteFailure)) throw error;
  const what = config.oidc_discovery_url === '' ? 'jwks URL' : 'oidc discovery URL';
  throw badField(
    config.oidc_discovery_url === '' ? 'jwks_url' : 'oidc_discovery_url',
    `error checking ${what}: ${error.reason}`,
  );
}

const roleSpec = (parts: MethodParts) => ({
  help: 'Manages a role, which sets the signed tokens that can log in, and the limits of the tokens that they get.',
  shown: shownRole,
  write: operation(roleFields, {
    summary: 'Create or update a role',
    run: roleWriter(parts, (before, input: RoleInput, { type }) => roleAfter(roleBefore(before, type), input)),
  }),
});
