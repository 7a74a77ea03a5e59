import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { type Input, text, textList } from '#path/fields.ts';
import { partialJsonOf } from '#store/sql/kinds.ts';
import { storedAs } from '#store/sql/stored.ts';
import { roleName } from '../../login/kept/role-rows.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';
import { newTokenSettings, shownTokenSettings, tokenSettings, tokenSettingsAfter } from '../../login/role/settings.ts';
import { readSelector } from './selector.ts';

const former = ['ttl', 'max_ttl', 'policies', 'bound_cidrs', 'num_uses', 'period'] as const;
const list = () => textList().optional();

/** The body of `role/:name`. Absent fields keep their values, except the selector, which is cleared. */
export const roleFields = {
  name: roleName,
  bound_service_account_names: list().meta({ description: 'Names of service accounts; * for any text' }),
  bound_service_account_namespaces: list().meta({ description: 'Namespaces of service accounts; * for any text' }),
  bound_service_account_namespace_selector: text()
    .default('')
    .meta({ description: 'Label selector for namespaces of service accounts, in JSON or YAML' }),
  audience: text(2_048).optional().meta({ description: 'Required audience of JWTs' }),
  alias_name_source: text(64)
    .optional()
    .meta({ description: 'Source of the name of the alias: "serviceaccount_uid" (default) or "serviceaccount_name"' }),
  ...tokenFields,
  ...formerTokenFields(...former),
};

export type RoleInput = Input<typeof roleFields>;

const texts = z.array(z.string()).readonly();

const orchestratorRole = z.strictObject({
  bound_service_account_names: texts,
  bound_service_account_namespaces: texts,
  bound_service_account_namespace_selector: z.string(),
  audience: z.string(),
  alias_name_source: z.enum(['serviceaccount_uid', 'serviceaccount_name']),
  token: tokenSettings,
});

/** A stored role. */
export type OrchestratorRole = Readonly<z.infer<typeof orchestratorRole>>;

const newRole: OrchestratorRole = {
  bound_service_account_names: [],
  bound_service_account_namespaces: [],
  bound_service_account_namespace_selector: '',
  audience: '',
  alias_name_source: 'serviceaccount_uid',
  token: newTokenSettings,
};

const storedOrchestratorRole = partialJsonOf(orchestratorRole);

/** A stored role with defaults for settings of later releases. */
export const storedRole = (settings: object = {}): OrchestratorRole => ({
  ...newRole,
  ...storedAs(storedOrchestratorRole, settings),
});

/** The role after a request. @throws AppError `bad-request` for invalid settings */
export function roleAfter(before: OrchestratorRole, input: RoleInput): OrchestratorRole {
  const after: OrchestratorRole = {
    bound_service_account_names: input.bound_service_account_names ?? before.bound_service_account_names,
    bound_service_account_namespaces: input.bound_service_account_namespaces ?? before.bound_service_account_namespaces,
    bound_service_account_namespace_selector: input.bound_service_account_namespace_selector,
    audience: input.audience ?? before.audience,
    alias_name_source: source(input.alias_name_source ?? before.alias_name_source),
    token: tokenSettingsAfter(before.token, input),
  };
  mustBeBound(after);
  return after;
}

function mustBeBound(role: OrchestratorRole): void {
  const { bound_service_account_names: names, bound_service_account_namespaces: namespaces } = role;
  const selector = role.bound_service_account_namespace_selector;
  if (names.length === 0)
    throw badField('bound_service_account_names', '"bound_service_account_names" can not be empty');
  if (namespaces.length === 0 && selector === '') {
    throw badField(
      ['bound_service_account_namespaces', 'bound_service_account_namespace_selector'],
      '"bound_service_account_namespaces" can not be empty if "bound_service_account_namespace_selector" is not set',
    );
  }
  const bounds = { bound_service_account_names: names, bound_service_account_namespaces: namespaces };
  const [mixed] = Object.entries(bounds).find(([, bound]) => bound.length > 1 && bound.includes('*')) ?? [];
  if (mixed !== undefined) throw badField(mixed, 'can not mix "*" with values');
  if (selector !== '' && readSelector(selector) === undefined)
    throw badField(
      'bound_service_account_namespace_selector',
      'invalid "bound_service_account_namespace_selector" configured',
    );
}

function source(given: string): OrchestratorRole['alias_name_source'] {
  if (given === '') return 'serviceaccount_uid';
  if (given === 'serviceaccount_uid' || given === 'serviceaccount_name') return given;
  throw badField('alias_name_source', 'invalid alias_name_source: expected serviceaccount_uid or serviceaccount_name');
}

export function shownRole(settings: object): object {
  const { token, ...role } = storedRole(settings);
  return { ...role, ...shownTokenSettings(token, former) };
}
