import { z } from 'zod';
import { type Answer, empty, json, notFound, unprocessable } from './answer.ts';
import { type Container, type KeyPair, openBox, type StoredSecret, type Visibility } from './container.ts';

const valueBytesMax = 48 * 1024;
/** The host's times are in whole seconds. */
const moment = (date: Date) => date.toISOString().replace(/\.\d{3}Z$/, 'Z');

export function readPublicKey({ keys }: Container): Answer {
  const key = keys.at(-1);
  return key === undefined ? notFound : json({ key_id: key.id, key: Buffer.from(key.publicKey).toString('base64') });
}

export function listSecrets({ secrets }: Container, query: URLSearchParams): Answer {
  const perPage = Math.min(Number(query.get('per_page') ?? 30), 100);
  const start = (Number(query.get('page') ?? 1) - 1) * perPage;
  const page = [...secrets].slice(start, start + perPage);
  return json({ total_count: secrets.size, secrets: page.map(([name, secret]) => shown(name, secret)) });
}

export function readSecret({ secrets }: Container, name: string): Answer {
  const secret = secrets.get(name.toUpperCase());
  return secret === undefined ? notFound : json(shown(name.toUpperCase(), secret));
}

export function removeSecret({ secrets }: Container, name: string): Answer {
  return secrets.delete(name.toUpperCase()) ? empty : notFound;
}

const putBody = z.object({
  encrypted_value: z.base64().optional(),
  key_id: z.string().optional(),
  visibility: z.enum(['all', 'private', 'selected']).optional(),
  selected_repository_ids: z.array(z.int()).optional(),
});

export interface Put {
  readonly name: string;
  readonly body: unknown;
  readonly now: Date;
  /** Ids of the organization's repositories; undefined for a container without visibility. */
  readonly repositoryIds: readonly number[] | undefined;
}

/** Opens the sealed value, as the host does when a workflow reads it, so that tests can check it. */
export function putSecret(container: Container, { name, body, now, repositoryIds }: Put): Answer {
  const refusedName = refuseName(name);
  if (refusedName !== undefined) return unprocessable(refusedName);
  const parsed = putBody.safeParse(body);
  if (!parsed.success) return unprocessable('Invalid request.\n\nThe body has members of another type.');
  const opened = openValue(container, parsed.data);
  if (typeof opened === 'string') return unprocessable(opened);
  const access = readVisibility(parsed.data, repositoryIds);
  if (typeof access === 'string') return unprocessable(access);
  return store(container, name.toUpperCase(), { value: opened.toString(), now, visibility: access });
}

function store(
  { secrets, secretsMax }: Container,
  name: string,
  { value, now, visibility }: Pick<StoredSecret, 'value' | 'visibility'> & { readonly now: Date },
): Answer {
  const before = secrets.get(name);
  if (before === undefined && secrets.size >= secretsMax) {
    return unprocessable(`You have reached the maximum number of secrets (${secretsMax}).`);
  }
  secrets.set(name, { value, createdAt: before?.createdAt ?? now, updatedAt: now, visibility });
  return before === undefined ? json({}, 201) : empty;
}

function refuseName(name: string): string | undefined {
  if (/^GITHUB_/i.test(name)) return 'Secret names must not start with GITHUB_.';
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined;
  return 'Secret names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_). Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or underscores (_).';
}

function openValue({ keys }: Container, body: z.output<typeof putBody>): Buffer | string {
  const key: KeyPair | undefined = keys.at(-1);
  if (body.key_id === undefined) return 'Invalid request.\n\n"key_id" wasn\'t supplied.';
  if (body.encrypted_value === undefined) return 'Invalid request.\n\n"encrypted_value" wasn\'t supplied.';
  if (key === undefined || body.key_id !== key.id) return 'Bad request - the public key is not the current one';
  const value = openBox(body.encrypted_value, key);
  if (value === undefined) return 'Bad request - the value is not sealed with the public key';
  return value.length > valueBytesMax ? 'Value is too large.' : value;
}

function readVisibility(
  { visibility, selected_repository_ids: ids = [] }: z.output<typeof putBody>,
  repositoryIds: readonly number[] | undefined,
): Visibility | string | undefined {
  if (repositoryIds === undefined) return undefined;
  if (visibility === undefined) return 'Invalid request.\n\n"visibility" wasn\'t supplied.';
  if (visibility !== 'selected' && ids.length > 0) return 'Repositories can only be selected with visibility selected';
  if (ids.some((id) => !repositoryIds.includes(id))) return 'Selected repositories must belong to the organization';
  return { visibility, selectedRepositoryIds: ids };
}

function shown(name: string, { createdAt, updatedAt, visibility }: StoredSecret): object {
  const times = { name, created_at: moment(createdAt), updated_at: moment(updatedAt) };
  return visibility === undefined ? times : { ...times, visibility: visibility.visibility };
}
