import { z } from 'zod';
import { type Answer, parseJson, type Question } from '../../frame/fake/rest.ts';
import { badParameter, notFound, problem } from './answer.ts';
import { newestOf, type State, type StoredSecret, type Vault, type Version } from './vault.ts';

export interface Operation {
  readonly name: string;
  readonly writes: boolean;
  run(vault: Vault, name: string, question: Question): Answer;
}

const valueBytesMax = 25_600;
const tagsMax = 15;
const pageSizeMax = 25;

/** By method and the segment behind the secret's name. */
export const secretOperations: Readonly<Record<string, Operation>> = {
  PUT: { name: 'set', writes: true, run: set },
  GET: { name: 'get', writes: false, run: get },
  'GET versions': { name: 'versions', writes: false, run: versions },
  PATCH: { name: 'update', writes: true, run: update },
  DELETE: { name: 'delete', writes: true, run: remove },
};

export const listOperation: Operation = { name: 'list', writes: false, run: list };

export const deletedOperations: Readonly<Record<string, Operation>> = {
  GET: { name: 'getDeleted', writes: false, run: getDeleted },
  'POST recover': { name: 'recover', writes: true, run: recover },
  DELETE: { name: 'purge', writes: true, run: purge },
};

const setBody = z.object({
  value: z.string(),
  tags: z.record(z.string(), z.string()).optional(),
  contentType: z.string().optional(),
  attributes: z.object({ enabled: z.boolean().optional() }).optional(),
});

function set(vault: Vault, name: string, { body, origin }: Question): Answer {
  const parsed = setBody.safeParse(parseJson(body));
  if (!parsed.success) return badParameter('Property has invalid value.');
  const { value, tags = {}, contentType, attributes } = parsed.data;
  if (Buffer.byteLength(value) > valueBytesMax) return badParameter('The value exceeds the maximum length.');
  if (Object.keys(tags).length > tagsMax) return badParameter('There are too many tags.');
  const secret = vault.find(name);
  if (secret !== undefined && secret.state !== 'live') return conflict(secret);
  const version = vault.add(name, { value, tags, contentType, enabled: attributes?.enabled ?? true });
  return { status: 200, body: { ...bundle(origin, secret?.name ?? name, version), value } };
}

function get(vault: Vault, name: string, { path, origin }: Question): Answer {
  const secret = vault.find(name);
  if (secret?.state !== 'live') return notFound(name);
  const wanted = path[2] ?? '';
  const version = wanted === '' ? newestOf(secret) : secret.versions.find(({ id }) => id === wanted);
  if (version === undefined) return notFound(`${name}/${wanted}`);
  if (!version.enabled)
    return problem(403, 'Forbidden', 'Operation get is not allowed on a disabled secret.', 'SecretDisabled');
  return { status: 200, body: { ...bundle(origin, secret.name, version), value: version.value } };
}

/** Absent members stay as they are; tags are replaced as a whole. */
const updateBody = z.object({
  attributes: z.object({ enabled: z.boolean().optional() }).optional(),
  tags: z.record(z.string(), z.string()).optional(),
});

function update(vault: Vault, name: string, { path, body, origin }: Question): Answer {
  const secret = vault.find(name);
  const index = secret?.versions.findIndex(({ id }) => id === path[2]) ?? -1;
  const version = secret?.versions[index];
  if (secret?.state !== 'live' || version === undefined) return notFound(name);
  const parsed = updateBody.safeParse(parseJson(body));
  if (!parsed.success) return badParameter('Property has invalid value.');
  const { attributes, tags = version.tags } = parsed.data;
  const changed = { ...version, tags, enabled: attributes?.enabled ?? version.enabled };
  secret.versions[index] = changed;
  return { status: 200, body: bundle(origin, secret.name, changed) };
}

/** The newest version of each secret, without the id of the version. */
function list(vault: Vault, _name: string, { query, origin }: Question): Answer {
  const size = Math.min(pageSizeMax, Number(query.get('maxresults') ?? pageSizeMax));
  const from = Number(query.get('$skiptoken') ?? 0);
  const all = [...vault.live()];
  const page = all.slice(from, from + size).map((secret) => {
    return { ...bundle(origin, secret.name, newestOf(secret)), id: `${origin}/secrets/${secret.name}` };
  });
  const link = `${origin}/secrets?api-version=${query.get('api-version')}&maxresults=${size}&$skiptoken=${from + size}`;
  return { status: 200, body: { value: page, nextLink: from + size < all.length ? link : null } };
}

/** Sorted by the versions' random ids, as the service does. */
function versions(vault: Vault, name: string, { query, origin }: Question): Answer {
  const secret = vault.find(name);
  if (secret?.state !== 'live') return notFound(name);
  const size = Math.min(pageSizeMax, Number(query.get('maxresults') ?? pageSizeMax));
  const from = Number(query.get('$skiptoken') ?? 0);
  const sorted = [...secret.versions].sort((one, other) => (one.id < other.id ? -1 : 1));
  const page = sorted.slice(from, from + size).map((version) => bundle(origin, secret.name, version));
  const link = `${origin}/secrets/${secret.name}/versions?api-version=${query.get('api-version')}&maxresults=${size}&$skiptoken=${from + size}`;
  return { status: 200, body: { value: page, nextLink: from + size < sorted.length ? link : null } };
}

function remove(vault: Vault, name: string, { origin }: Question): Answer {
  const secret = vault.find(name);
  if (secret === undefined || secret.state === 'deleted') return notFound(name);
  if (secret.state !== 'live') return conflict(secret);
  vault.start(secret, 'deleting');
  return { status: 200, body: deletedBundle(origin, secret) };
}

function getDeleted(vault: Vault, name: string, { origin }: Question): Answer {
  const secret = vault.find(name);
  return secret?.state === 'deleted' ? { status: 200, body: deletedBundle(origin, secret) } : notFound(name);
}

function recover(vault: Vault, name: string, { origin }: Question): Answer {
  const secret = vault.find(name);
  if (secret === undefined || secret.state === 'live') return notFound(name);
  if (secret.state !== 'deleted') return conflict(secret);
  vault.start(secret, 'recovering');
  return { status: 200, body: bundle(origin, secret.name, newestOf(secret)) };
}

function purge(vault: Vault, name: string): Answer {
  const secret = vault.find(name);
  if (secret === undefined || secret.state === 'live') return notFound(name);
  if (secret.state !== 'deleted') return conflict(secret);
  vault.start(secret, 'purging');
  return { status: 204 };
}

const conflicts: Readonly<Record<Exclude<State, 'live'>, readonly [string, string]>> = {
  deleting: ['ObjectIsBeingDeleted', 'is currently being deleted'],
  purging: ['ObjectIsBeingDeleted', 'is currently being deleted'],
  recovering: ['ObjectIsBeingRecovered', 'is currently being recovered and cannot be re-created; retry later'],
  deleted: ['ObjectIsDeletedButRecoverable', 'is currently in a deleted but recoverable state'],
};

function conflict({ name, state }: StoredSecret): Answer {
  const [code, text] = conflicts[state === 'live' ? 'deleted' : state];
  return problem(409, 'Conflict', `Secret ${name} ${text}.`, code);
}

function bundle(origin: string, name: string, { id, tags, contentType, enabled, created }: Version) {
  const attributes = {
    enabled,
    created,
    updated: created,
    recoveryLevel: 'Recoverable+Purgeable',
    recoverableDays: 90,
  };
  return { id: `${origin}/secrets/${name}/${id}`, attributes, tags, ...(contentType !== undefined && { contentType }) };
}

function deletedBundle(origin: string, secret: StoredSecret) {
  const deletedDate = Math.floor(Date.now() / 1000);
  return {
    ...bundle(origin, secret.name, newestOf(secret)),
    recoveryId: `${origin}/deletedsecrets/${secret.name}`,
    deletedDate,
    scheduledPurgeDate: deletedDate + 90 * 86_400,
  };
}
