import { randomBytes } from 'node:crypto';
import type { Answer, Question } from '../../frame/fake/rest.ts';
import type { ReplicationPolicy } from './rules.ts';

export type VersionState = 'ENABLED' | 'DISABLED' | 'DESTROYED';

export interface Version {
  readonly number: number;
  readonly state: VersionState;
  /** Undefined when the version is destroyed. */
  readonly value: Buffer | undefined;
  readonly created: Date;
  /** The policy at the time the version was added, with the keys that encrypted it. */
  readonly replication: ReplicationPolicy;
}

export interface StoredSecret {
  readonly id: string;
  readonly created: Date;
  replication: ReplicationPolicy;
  labels: Readonly<Record<string, string>>;
  etag: string;
  /** Oldest first. */
  versions: readonly Version[];
}

export interface Project {
  readonly id: string;
  readonly secrets: Map<string, StoredSecret>;
  add(id: string, labels: StoredSecret['labels'], replication: ReplicationPolicy): StoredSecret;
  seed(id: string, value: string): void;
  change(id: string, value: string): void;
}

export function newProject(id: string): Project {
  const secrets = new Map<string, StoredSecret>();
  const add: Project['add'] = (secretId, labels, replication) => {
    const secret = { id: secretId, created: new Date(), replication, labels, etag: newEtag(), versions: [] };
    secrets.set(secretId, secret);
    return secret;
  };
  return {
    id,
    secrets,
    add,
    seed: (secretId, value) => void addVersion(add(secretId, {}, { automatic: {} }), Buffer.from(value)),
    change(secretId, value) {
      const secret = secrets.get(secretId);
      if (secret === undefined) throw new Error(`the stand-in has no secret ${secretId}`);
      addVersion(secret, Buffer.from(value));
    },
  };
}

export function addVersion(secret: StoredSecret, value: Buffer): Version {
  const { replication, versions } = secret;
  const version: Version = { number: versions.length + 1, state: 'ENABLED', value, created: new Date(), replication };
  secret.versions = [...secret.versions, version];
  return version;
}

export function replaceVersion(secret: StoredSecret, changed: Version): Version {
  secret.versions = secret.versions.map((version) => (version.number === changed.number ? changed : version));
  return changed;
}

/** Versions are numbered from 1; `latest` is the newest one, whatever its state. */
export function findVersion(secret: StoredSecret, name: string): Version | undefined {
  return name === 'latest' ? newestOf(secret) : secret.versions.find(({ number }) => String(number) === name);
}

export const newestOf = (secret: StoredSecret): Version | undefined => secret.versions.at(-1);

/** Quoted, as the service's etags are. */
export const newEtag = (): string => `"${randomBytes(8).toString('hex')}"`;

/** A method of the API. */
export interface Operation {
  readonly name: string;
  readonly writes: boolean;
  run(project: Project, secretId: string, question: Question): Answer;
}
