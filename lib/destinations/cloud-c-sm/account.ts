import { readFile } from 'node:fs/promises';
import { DestinationFailure } from '../contract.ts';
import { fileOf, parseCredentials, type ServiceAccount } from './credentials.ts';
import type { Connection } from './fields.ts';

/** Who logs in, and the project whose secrets are written. */
export interface Account {
  readonly service: ServiceAccount;
  readonly project: string;
}

const fileBytesMax = 64 * 1024;

/** Reads the file that the credentials name, if they do. Failures are `DestinationFailure`. */
export async function readAccount({ credentials, project_id }: Connection): Promise<Account> {
  const file = fileOf(credentials);
  const service = parseCredentials(file === undefined ? credentials : await readCredentials(file));
  if (typeof service === 'string') throw unusable(file, service);
  const project = project_id ?? service.project_id;
  if (project === undefined) throw unusable(file, 'they name no project: set project_id');
  return { service, project };
}

async function readCredentials(file: string): Promise<string> {
  try {
    const content = await readFile(file);
    if (content.length <= fileBytesMax) return content.toString();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    throw unusable(file, `the file cannot be read (${code})`);
  }
  throw unusable(file, `the file has more than ${fileBytesMax} bytes`);
}

function unusable(file: string | undefined, problem: string): DestinationFailure {
  const where = file === undefined ? '' : ` in ${JSON.stringify(file)}`;
  return new DestinationFailure('credentials', `the credentials${where} cannot be used: ${problem}`);
}
