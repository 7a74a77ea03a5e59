import { badRequest } from '../../../core/errors.ts';
import { silentLog } from '../../../core/log.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { text } from '../../../path/fields.ts';
import { readConfig, writeConfig } from '../../login/kept/config.ts';
import { roleRows, roleWriter } from '../../login/kept/role-rows.ts';
import { findRole, removeRoles, roleAndConfigReader } from '../../login/kept/roles.ts';
import { RemoteFailure } from '../../login/remote/failure.ts';
import { askedRole } from '../../login/role/asked.ts';
import type { AuthMethod, MethodParts } from '../contract.ts';
import { checkConfig, configFields, type JwtConfig, shownConfig } from './config.ts';
import { defaultRole, whoIs } from './login.ts';
import { keptRole, type RoleInput, roleAfter, roleFields, shownRole } from './role.ts';
import { type Keys, openKeys } from './verify/keys.ts';

/** Whoever has a signed token of a known issuer logs in with it. */
export const jwtMethod: AuthMethod = {
  type: 'jwt',
  removeSecrets: removeRoles,
  async settingsOf(store, mountId, { role = '' }) {
    const settings = await findRole(store, mountId, role);
    return settings && keptRole(settings).token;
  },
  open(parts) {
    const keys = openKeys(parts.remote, parts.clock);
    return {
      rows: [loginRow(parts, keys), configRow(parts, keys), ...roleRows(parts, roleSpec(parts))],
      loginRole: async (data, { id }) => askedRole(data) ?? defaultRole(parts.store, id),
    };
  },
};

function loginRow({ store, clock, log = silentLog, login }: MethodParts, keys: Keys): Row {
  const parts = { store, read: roleAndConfigReader(store), keys, log, now: () => clock.now() };
  const fields = {
    role: text(512).default('').meta({ description: 'Name of the role; default: the one of the configuration' }),
    jwt: text().default('').meta({ description: 'The signed token', sensitive: true }),
  };
  return {
    pattern: 'login',
    help: 'Logs somebody in with a signed token.',
    operations: {
      write: login(fields, { summary: 'Log in', who: (input, context) => whoIs(parts, input, context) }),
    },
  };
}

const configRow = ({ store }: MethodParts, keys: Keys): Row => ({
  pattern: 'config',
  help: 'Where the keys are that tokens are signed with.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the configuration',
        async run(_input, { mount }) {
          const config = await readConfig(store, mount.id);
          return config && { data: shownConfig(config as JwtConfig) };
        },
      },
    ),
    write: operation(configFields, {
      summary: 'Replace the configuration',
      async run(config, { mount }) {
        checkConfig(config);
        await keys.check(config).catch((error) => refuseUnread(config, error));
        await writeConfig(store, mount.id, config);
        return undefined;
      },
    }),
  },
});

/** A configuration that would let nobody in is not kept. */
function refuseUnread(config: JwtConfig, error: unknown): never {
  if (!(error instanceof RemoteFailure)) throw error;
  const what = config.oidc_discovery_url === '' ? 'jwks URL' : 'oidc discovery URL';
  throw badRequest(`error checking ${what}: ${error.reason}`);
}

const roleSpec = (parts: MethodParts) => ({
  help: 'Which tokens let somebody in, and what the tokens of the service may be then.',
  shown: shownRole,
  write: operation(roleFields, {
    summary: 'Create or change a role',
    run: roleWriter(parts, (before, input: RoleInput) => roleAfter(keptRole(before), input)),
  }),
});
