import { type CredentialFiles, DestinationFailure, type DriverContext } from '../contract.ts';
import { NamedFileError, readNamedFile } from '../frame/named-file.ts';
import { fileOf, parseCredentials, refuseFileAt, type ServiceAccount, universeProblem } from './credentials.ts';
import type { Connection } from './fields.ts';

/** Who logs in, and the project whose secrets are written. */
export interface Account {
  readonly service: ServiceAccount;
  readonly project: string;
}

/**
 * Reads the file that the credentials name, if they do. Failures are `DestinationFailure`. `obtained` is called with the key, which is
 * not in the connection when it is in a file.
 */
export async function readAccount(
  { credentials, project_id, endpoint }: Connection,
  { credentialFiles = noFiles, obtained = () => {} }: Pick<DriverContext, 'credentialFiles' | 'obtained'>,
): Promise<Account> {
  const file = fileOf(credentials);
  const content = file === undefined ? credentials : await readCredentials(credentialFiles, file, endpoint);
  const service = parseCredentials(content);
  if (typeof service === 'string') throw unusable(file, service);
  obtained(service.private_key);
  const problem = universeProblem(service.universe_domain, endpoint);
  if (problem !== undefined) throw unusable(file, problem);
  const project = project_id ?? service.project_id;
  if (project === undefined) throw unusable(file, 'they name no project: set project_id');
  return { service, project };
}

const noFiles: CredentialFiles = { folder: undefined, endpoints: [] };

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
