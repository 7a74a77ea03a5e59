// Beyond the usual files: put, look and remove share these calls, which return expected refusals as values.

import { crc32c } from '#core/digest/crc32c.ts';
import type { Secret } from '#core/secret.ts';
import type { WriteTracker } from '../../frame/verb/verb.ts';
import type { Client, Opened } from '../client/client.ts';
import { changedIf, otherwise } from '../failure.ts';
import type { Replication } from '../fields/replication.ts';

export type Labels = Readonly<Record<string, string>>;

/** The state of a secret's metadata; adding a version does not change it. */
export interface Etag {
  readonly etag: string | undefined;
}

export interface FoundSecret extends Etag {
  readonly labels: Labels;
  readonly replication?: Replication | undefined;
}

export interface SecretPage {
  readonly secrets: readonly { readonly id: string; readonly labels: Labels }[];
  readonly after: string | null;
}

export interface SecretChange {
  readonly labels?: Labels;
  /** The same locations with other keys, which apply to new versions. */
  readonly replication?: Replication;
}

/** The calls of one verb. Expected refusals are values. */
export interface Secrets extends Metadata, Versions {}

interface Metadata {
  create(id: string, labels: Labels, replication: Replication): Promise<Etag | 'exists'>;
  find(id: string): Promise<FoundSecret | 'absent' | 'denied'>;
  /** A page of the secrets whose names have this text in them. */
  page(part: string, after: string | null): Promise<SecretPage>;
  /** With an etag, only if it is still the current one. */
  change(id: string, change: SecretChange, etag: string | undefined): Promise<Etag | 'absent' | 'changed'>;
  /** With an etag, only if it is still the current one. */
  remove(id: string, etag: string | undefined): Promise<'removed' | 'changed'>;
}

interface Versions {
  /** The number of the new version. */
  addVersion(id: string, value: Secret): Promise<string | 'absent'>;
  /** The number of the newest version, or null when it cannot be read or does not exist. */
  newestVersion(id: string): Promise<string | null | 'denied'>;
  enabledVersions(id: string): Promise<readonly string[]>;
  destroyVersion(id: string, version: string): Promise<void>;
}

/** Enabled versions that one put looks at, and secrets of a page. */
const pageSize = 100;

/** `tracker` follows what the calls change. */
export function secretsOf(client: Client, signal: AbortSignal, tracker: WriteTracker): Secrets {
  const read = <T>(run: (opened: Opened) => Promise<T>) => client.call(signal, run);
  const call = <T>(run: (opened: Opened) => Promise<T>) => tracker.write(() => read(run));
  const ways: Ways = { read, call };
  return { ...metadataCalls(ways), ...versionCalls(ways) };
}

/** How calls are made: one that changes nothing, and one that may change something. */
interface Ways {
  read<T>(run: (opened: Opened) => Promise<T>): Promise<T>;
  call<T>(run: (opened: Opened) => Promise<T>): Promise<T>;
}

function metadataCalls({ read, call }: Ways): Metadata {
  return {
    create: (id, labels, replication) =>
      otherwise(
        call(async ({ secrets, project, options }) => {
          const secret = { labels: { ...labels }, replication };
          const request = { parent: `projects/${project}`, secretId: id, secret };
          const [{ etag }] = await secrets.createSecret(request, options);
          return { etag: etag ?? undefined };
        }),
        { ALREADY_EXISTS: 'exists' as const },
      ),

    find: (id) =>
      otherwise(
        read(async (opened): Promise<FoundSecret> => {
          const [found] = await opened.secrets.getSecret({ name: path(opened, id) }, opened.options);
          const { labels, etag, replication } = found;
          return { labels: labels ?? {}, etag: etag ?? undefined, replication: replication ?? undefined };
        }),
        { NOT_FOUND: 'absent' as const, PERMISSION_DENIED: 'denied' as const },
      ),

    page: (part, after) =>
      read(async ({ secrets, project, options }) => {
        const more = { ...(part !== '' && { filter: `name:${part}` }), ...(after !== null && { pageToken: after }) };
        const request = { parent: `projects/${project}`, pageSize, ...more };
        const [found, , answer] = await secrets.listSecrets(request, { ...options, autoPaginate: false });
        const next = answer?.nextPageToken ?? '';
        return {
          secrets: found.map(({ name, labels }) => ({ id: lastOf(name), labels: labels ?? {} })),
          after: next === '' ? null : next,
        };
      }),

    change: (id, { labels, replication }, etag) =>
      otherwise(
        call(async (opened) => {
          const parts = { ...(labels && { labels: { ...labels } }), ...(replication && { replication }) };
          const secret = { name: path(opened, id), ...parts, ...(etag !== undefined && { etag }) };
          const request = { secret, updateMask: { paths: Object.keys(parts) } };
          const [changed] = await opened.secrets.updateSecret(request, opened.options);
          return { etag: changed.etag ?? undefined };
        }),
        { NOT_FOUND: 'absent' as const, ...changedIf(etag) },
      ),

    remove: (id, etag) =>
      otherwise(
        call(async (opened) => {
          const secret = { name: path(opened, id), ...(etag !== undefined && { etag }) };
          await opened.secrets.deleteSecret(secret, opened.options);
          return 'removed' as const;
        }),
        { NOT_FOUND: 'removed' as const, ...changedIf(etag) },
      ),
  };
}

function versionCalls({ read, call }: Ways): Versions {
  return {
    addVersion: (id, value) =>
      otherwise(
        call(async (opened) => {
          const data = Buffer.from(value.reveal());
          const payload = { data, dataCrc32c: crc32c(data) };
          const [{ name }] = await opened.secrets.addSecretVersion(
            { parent: path(opened, id), payload },
            opened.options,
          );
          return lastOf(name);
        }),
        { NOT_FOUND: 'absent' as const },
      ),

    newestVersion: (id) =>
      otherwise(
        read(async (opened) => {
          const request = { name: `${path(opened, id)}/versions/latest` };
          const [{ name, state }] = await opened.secrets.getSecretVersion(request, opened.options);
          return state === 'ENABLED' ? lastOf(name) : null;
        }),
        { NOT_FOUND: null, PERMISSION_DENIED: 'denied' as const },
      ),

    enabledVersions: (id) =>
      read(async (opened) => {
        const request = { parent: path(opened, id), filter: 'state:ENABLED', pageSize };
        const [versions] = await opened.secrets.listSecretVersions(request, { ...opened.options, autoPaginate: false });
        return versions.map(({ name }) => lastOf(name));
      }),

    destroyVersion: (id, version) =>
      otherwise(
        call(async (opened) => {
          await opened.secrets.destroySecretVersion(
            { name: `${path(opened, id)}/versions/${version}` },
            opened.options,
          );
        }),
        { NOT_FOUND: undefined, FAILED_PRECONDITION: undefined },
      ),
  };
}

const path = ({ secrets, project }: Opened, id: string): string => secrets.secretPath(project, id);

/** Of `projects/123/secrets/name/versions/7` the number, of `projects/123/secrets/name` the name. */
const lastOf = (name: string | null | undefined): string => name?.split('/').at(-1) ?? '';
