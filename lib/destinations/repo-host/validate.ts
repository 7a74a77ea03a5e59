import { type Problem, problemOf } from '#core/problem.ts';
import type { FieldRelation } from '../contract.ts';
import { refuseAddresses } from './fields/address.ts';
import type { Connection } from './fields/fields.ts';

/** Each name costs one look-up before the first put. */
const selectedRepositoriesMax = 500;
const environmentNameLengthMax = 255;

const ofRepository = ['repository_owner', 'repository_name', 'environment_name'] as const;
const ofOrganization = ['organization_name', 'organization_visibility', 'selected_repository_names'] as const;

export const relations: readonly FieldRelation[] = [
  { kind: 'alternatives', sets: [['access_token'], ['app_name', 'installation_id']], required: true },
  { kind: 'together', fields: ['app_name', 'installation_id'] },
  { kind: 'only-with', fields: ofRepository, field: 'secrets_location', values: ['repository'] },
  { kind: 'only-with', fields: ofOrganization, field: 'secrets_location', values: ['organization'] },
  {
    kind: 'only-with',
    fields: ['selected_repository_names'],
    field: 'organization_visibility',
    values: ['selected'],
  },
  { kind: 'alternatives', sets: [['endpoint'], ['enterprise_url']], required: false },
];

/** Rules about the fields of a connection. Texts name the field, the problem and the rule, never the token. */
export function validate(connection: Connection): readonly Problem[] {
  return [
    ...credentialProblems(connection),
    ...(connection.secrets_location === 'repository'
      ? repositoryProblems(connection)
      : organizationProblems(connection)),
    ...refuseAddresses(connection),
  ];
}

function credentialProblems({ access_token, app_name, installation_id }: Connection): readonly Problem[] {
  if ((app_name === undefined) !== (installation_id === undefined)) {
    return [problemOf(appFields, 'app_name and installation_id must be set together')];
  }
  if (access_token === undefined && app_name === undefined) {
    const rule = 'credentials are missing: set access_token, or app_name and installation_id';
    return [problemOf(['access_token', ...appFields], rule)];
  }
  const problems: Problem[] = [];
  if (installation_id !== undefined && installation_id < 1) {
    const rule = 'installation_id must be a positive number: it is at the end of the URL of the installation';
    problems.push(problemOf('installation_id', rule));
  }
  // Node quotes a header value that it refuses, so such a token would end up in an error message.
  if (access_token !== undefined && !/^[\x21-\x7e]+$/.test(access_token)) {
    const rule = 'access_token has spaces, line breaks or other characters that are not valid in a token';
    problems.push(problemOf('access_token', rule));
  }
  return problems;
}

const appFields = ['app_name', 'installation_id'];

function repositoryProblems(connection: Connection): readonly Problem[] {
  const { repository_owner, repository_name, environment_name } = connection;
  const rule = 'secrets_location repository needs repository_owner and repository_name';
  return [
    ...named('repository_owner', repository_owner, rule),
    ...named('repository_name', repository_name, rule),
    ...(environment_name === undefined ? [] : environmentProblems(environment_name)),
    ...foreign(connection, ofOrganization),
  ];
}

function organizationProblems(connection: Connection): readonly Problem[] {
  const { organization_name, organization_visibility, selected_repository_names: names } = connection;
  const problems = [
    ...named('organization_name', organization_name, 'secrets_location organization needs organization_name'),
    ...foreign(connection, ofRepository),
  ];
  if (organization_visibility === 'selected') return [...problems, ...selectionProblems(names ?? [])];
  if (names === undefined || names.length === 0) return problems;
  return [...problems, selectionProblem('selected_repository_names is only for organization_visibility selected')];
}

const selectionProblem = (rule: string): Problem =>
  problemOf(['selected_repository_names', 'organization_visibility'], rule);

function selectionProblems(names: readonly string[]): readonly Problem[] {
  if (names.length === 0) return [selectionProblem('organization_visibility selected needs selected_repository_names')];
  if (names.length > selectedRepositoriesMax) {
    const rule = `selected_repository_names has ${names.length} names: at most ${selectedRepositoriesMax} are allowed`;
    return [problemOf('selected_repository_names', rule)];
  }
  return names.flatMap((name) => named('selected_repository_names', name, 'give names without their owner'));
}

/** A dot segment would change the request's path, because `..` is not escaped in a URL. */
const isDots = (name: string) => name === '.' || name === '..';

function named(field: string, value: string | undefined, rule: string): readonly Problem[] {
  if (value === undefined) return [problemOf(field, `${field} is missing: ${rule}`)];
  if (/^[A-Za-z0-9_.-]{1,100}$/.test(value) && !isDots(value)) return [];
  const form = '1 to 100 characters of A-Z a-z 0-9 _ . -';
  return [problemOf(field, `${field} "${value.slice(0, 100)}" is not a name: ${form}; ${rule}`)];
}

function environmentProblems(name: string): readonly Problem[] {
  if (name.length <= environmentNameLengthMax && !isDots(name)) return [];
  const rule = `a name has 1 to ${environmentNameLengthMax} characters and is not . or ..`;
  return [problemOf('environment_name', `environment_name is invalid: ${rule}`)];
}

function foreign(connection: Connection, fields: readonly (keyof Connection)[]): readonly Problem[] {
  const present = fields.filter((field) => connection[field] !== undefined && String(connection[field]) !== '');
  const rule = `cannot be set with secrets_location ${connection.secrets_location}: leave it out`;
  return present.map((field) => problemOf(field, `${field} ${rule}`));
}
