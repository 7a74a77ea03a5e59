import { type CredentialFiles, DestinationFailure, type DriverContext } from '../contract.ts';
import { NamedFileError, readNamedFile } from '../frame/named-file.ts';
import { fileOf, parseCredentials, refuseFileAt, type ServiceAccount, universeProblem } from './fields/credentials.ts';
import type { Connection } from './fields/fields.ts';

/** The service account, and the project of the secrets. */
export interface Account {
  readonly service: ServiceAccount;
  readonly project: string;
}

/**
 * Parses the credentials, from their file if they name one. Failures are `DestinationFailure`. `obtained` gets the key, which is not
 * in the connection when it comes from a file.
 */
export async function readAccount(
  { credentials, project_id, endpoint }: Connection,
  { credentialFiles, obtained }: Pick<DriverContext, 'credentialFiles' | 'obtained'>,
): Promise<Account> {
  const file = fileOf(credentials);
  const content = file === undefined ? credentials : await readCredentials(credentialFiles, file, endpoint);
  const service = parseCredentials(content);
  if (typeof service === 'string') throw unusable(file, service);
  obtained(service.private_key);
  const problem = universeProblem(service.universe_domain, endpoint);
  if (problem !== undefined) throw unusable(file, problem);
  const project = project_id ?? service.project_id;
  if (project === undefined) throw unusable(file, 'they do not name a project: set project_id');
  return { service, project };
}

async function readCredentials({ folder, endpoints }: CredentialFiles, file: string, endpoint: string | undefined) {
  const refusal = refuseFileAt(endpoint, endpoints);
  if (refusal !== undefined) throw unusable(file, refusal);
  try {
    return await readNamedFile(folder, file);
  } catch (error) {
    throw error instanceof NamedFileError ? unusable(file, error.message) : error;
  }
}

function unusable(file: string | undefined, problem: string): DestinationFailure {
  const where = file === undefined ? '' : ` in ${JSON.stringify(file)}`;
  return new DestinationFailure('credentials', `the credentials${where} cannot be used: ${problem}`);
}
