import { fileOf, parseCredentials, universeProblem } from './credentials.ts';
import type { Connection } from './fields.ts';
import { replicationProblems } from './validate-replication.ts';

/** Rules over the fields of a connection. Texts never hold anything of the credentials. */
export function validate(connection: Connection): readonly string[] {
  return [...credentialProblems(connection), ...projectProblems(connection), ...replicationProblems(connection)];
}

function credentialProblems({ credentials, project_id, endpoint }: Connection): readonly string[] {
  const file = fileOf(credentials);
  if (file !== undefined) return file === '' ? ['invalid credentials: the path behind @ is missing'] : [];
  const account = parseCredentials(credentials);
  if (typeof account === 'string') return [`invalid credentials: ${account}`];
  const universe = universeProblem(account.universe_domain, endpoint);
  if (universe !== undefined) return [`invalid credentials: ${universe}`];
  if (project_id !== undefined || account.project_id !== undefined) return [];
  return ['project_id is missing: the credentials name no project'];
}

// A project's id or number; it becomes a segment of a path.
function projectProblems({ project_id }: Connection): readonly string[] {
  if (project_id === undefined || /^[a-z0-9][a-z0-9.:-]{2,62}$/.test(project_id)) return [];
  return ['invalid project_id: it takes the id or the number of a project, not its name'];
}
