import { refuseAddresses } from './address.ts';
import type { Connection } from './fields.ts';

/** Each name costs one look-up before the first put. */
const selectedRepositoriesMax = 500;
const environmentNameLengthMax = 255;

/** Rules over the fields of a connection. Texts name the field, the problem and the rule, never the token. */
export function validate(connection: Connection): readonly string[] {
  return [
    ...credentialProblems(connection),
    ...(connection.secrets_location === 'repository'
      ? repositoryProblems(connection)
      : organizationProblems(connection)),
    ...refuseAddresses(connection),
  ];
}

function credentialProblems({ access_token, app_name, installation_id }: Connection): readonly string[] {
  if ((app_name === undefined) !== (installation_id === undefined)) {
    return ['app_name and installation_id must be set together'];
  }
  if (access_token === undefined && app_name === undefined) {
    return ['credentials are missing: set access_token, or app_name and installation_id'];
  }
  const problems: string[] = [];
  if (installation_id !== undefined && installation_id < 1) {
    problems.push('installation_id must be a positive number: it stands at the end of the URL of the installation');
  }
  // Node quotes a header value that it refuses, so such a token would end up in an error message.
  if (access_token !== undefined && !/^[\x21-\x7e]+$/.test(access_token)) {
    problems.push('access_token holds spaces, line breaks or other characters that no token has');
  }
  return problems;
}

function repositoryProblems(connection: Connection): readonly string[] {
  const { repository_owner, repository_name, environment_name } = connection;
  const rule = 'secrets_location repository needs repository_owner and repository_name';
  return [
    ...named('repository_owner', repository_owner, rule),
    ...named('repository_name', repository_name, rule),
    ...(environment_name === undefined ? [] : environmentProblems(environment_name)),
    ...foreign(connection, ['organization_name', 'organization_visibility', 'selected_repository_names']),
  ];
}

function organizationProblems(connection: Connection): readonly string[] {
  const { organization_name, organization_visibility, selected_repository_names: names } = connection;
  const problems = [
    ...named('organization_name', organization_name, 'secrets_location organization needs organization_name'),
    ...foreign(connection, ['repository_owner', 'repository_name', 'environment_name']),
  ];
  if (organization_visibility === 'selected') return [...problems, ...selectionProblems(names ?? [])];
  if (names === undefined || names.length === 0) return problems;
  return [...problems, 'selected_repository_names is only for organization_visibility selected'];
}

function selectionProblems(names: readonly string[]): readonly string[] {
  if (names.length === 0) return ['organization_visibility selected needs selected_repository_names'];
  if (names.length > selectedRepositoriesMax) {
    return [`selected_repository_names has ${names.length} names: at most ${selectedRepositoriesMax} are allowed`];
  }
  return names.flatMap((name) => named('selected_repository_names', name, 'names come without their owner'));
}

/** A dot segment would climb in the request's path: `..` is not escaped in a URL. */
const isDots = (name: string) => name === '.' || name === '..';

function named(field: string, value: string | undefined, rule: string): readonly string[] {
  if (value === undefined) return [`${field} is missing: ${rule}`];
  if (/^[A-Za-z0-9_.-]{1,100}$/.test(value) && !isDots(value)) return [];
  return [`${field} "${value.slice(0, 100)}" is not a name: 1 to 100 characters of A-Z a-z 0-9 _ . -; ${rule}`];
}

function environmentProblems(name: string): readonly string[] {
  if (name.length <= environmentNameLengthMax && !isDots(name)) return [];
  return [`environment_name is not a name: it has 1 to ${environmentNameLengthMax} characters and is not . or ..`];
}

function foreign(connection: Connection, fields: readonly (keyof Connection)[]): readonly string[] {
  const present = fields.filter((field) => connection[field] !== undefined && String(connection[field]) !== '');
  return present.map((field) => `${field} is not for secrets_location ${connection.secrets_location}: leave it out`);
}
