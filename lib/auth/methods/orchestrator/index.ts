import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { readConfig, writeConfig } from '../../login/kept/config.ts';
import { roleRows, roleWriter } from '../../login/kept/role-rows.ts';
import { findRole, removeRoles, roleAndConfigReader } from '../../login/kept/roles.ts';
import { askedRole } from '../../login/role/asked.ts';
import type { AuthMethod, MethodParts } from '../contract.ts';
import { configFields, configWarnings, shownConfig, storedConfig } from './config.ts';
import { openLocalAccount } from './local-account.ts';
import { identify } from './login.ts';
import { type RoleInput, roleAfter, roleFields, shownRole, storedRole } from './role.ts';

/** Service accounts of a container orchestrator log in with their tokens. */
export const orchestratorMethod: AuthMethod = {
  type: 'orchestrator',
  names: ['kubernetes'],
  removeSecrets: removeRoles,
  async settingsOf(store, mountId, { role = '' }) {
    const settings = await findRole(store, mountId, role);
    return settings && storedRole(settings).token;
  },
  open: (parts) => ({
    rows: [loginRow(parts), configRow(parts), ...roleRows(parts, roleSpec(parts))],
    loginRole: async (data) => askedRole(data),
  }),
};

const jwtCharactersMax = 32_768;

function loginRow({ store, remote, clock, log, login, localAccountDir }: MethodParts): Row {
  const local = openLocalAccount(localAccountDir, clock);
  const parts = { read: roleAndConfigReader(store), remote, log, now: () => clock.now(), local };
  const fields = {
    role: text(512).default('').meta({ description: 'Name of the role' }),
    jwt: text(jwtCharactersMax).default('').meta({ description: 'Token of a service account', sensitive: true }),
  };
  return {
    pattern: 'login',
    help: 'Logs a service account in with its token.',
    operations: {
      write: login(fields, { summary: 'Log in', identify: (input, context) => identify(parts, input, context) }),
    },
  };
}

const configRow = ({ store, clock, localAccountDir }: MethodParts): Row => ({
  pattern: 'config',
  help: 'Configures the API of the orchestrator, which reviews tokens.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read the configuration without the token',
        async run(_input, { mount }) {
          const config = await readConfig(store, mount.id);
          return config && { data: shownConfig(storedConfig(config)) };
        },
      },
    ),
    write: operation(configFields, {
      summary: 'Replace the configuration',
      async run(config, { mount }) {
        const local = openLocalAccount(localAccountDir, clock);
        const warnings = configWarnings(config, (await local.caCertificates()) !== undefined);
        await writeConfig(store, mount.id, config);
        return warnings.length === 0 ? undefined : { warnings };
      },
    }),
  },
});

const roleSpec = (parts: MethodParts) => ({
  help: 'Manages a role, which sets the service accounts that can log in, and the limits of their tokens.',
  shown: shownRole,
  write: operation(roleFields, {
    summary: 'Create or update a role',
    run: roleWriter(parts, (before, input: RoleInput) => roleAfter(storedRole(before), input)),
  }),
});
