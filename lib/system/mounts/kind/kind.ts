import { badField } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { MountType } from '#mounts/contract/mounts.ts';
import type { OperationMarks } from '#path/contract/row.ts';
import type { MountParts } from '../parts.ts';
import { authSettings, type ConfigField, configOf, settings } from '../settings/fields.ts';
import { authPath, isAuthPath, mountPath, newMountPath, removablePath } from './path.ts';

/** A kind of mounts. The rows mount, show and tune secrets engines and auth methods in the same way. */
export interface MountKind {
  /** The segment of its rows below `sys/`. */
  readonly segment: 'mounts' | 'auth';
  /** The display name. */
  readonly title: 'secrets engine' | 'auth method';
  readonly withArticle: 'a secrets engine' | 'an auth method';
  readonly marks: Pick<OperationMarks, 'sudo'>;
  /** The types that can be mounted. */
  readonly types: readonly Pick<MountType, 'type' | 'version' | 'names'>[];
  readonly config: ConfigField;
  readonly settings: typeof authSettings;
  owns(path: string): boolean;
  /** Whether its rows show a single mount at this path. */
  shows(path: string): boolean;
  /** The path of a mount in the mount table. Lists of this kind show it without `prefix`. */
  stored(given: string): string;
  readonly prefix: '' | 'auth/';
  /** @throws AppError `bad-request` for a path that no new mount may have */
  created(given: string, field?: 'path' | 'to'): string;
  /** @throws AppError `bad-request` for a built-in mount */
  removed(given: string, field?: 'path' | 'from'): string;
  /** The error text when there is no mount at this path. */
  absent(path: string): string;
  /** Revokes what the mount has issued. */
  revoke(namespace: Namespace, path: string, signal: AbortSignal): Promise<void>;
}

export const secretKind = ({ engines }: MountParts): MountKind => ({
  segment: 'mounts',
  title: 'secrets engine',
  withArticle: 'a secrets engine',
  marks: {},
  types: engines,
  config: configOf(settings),
  // Clients also tune auth methods here.
  settings: authSettings,
  owns: (path) => !isAuthPath(path),
  // Clients also read auth methods here.
  shows: () => true,
  prefix: '',
  stored: mountPath,
  created: newMountPath,
  removed: removablePath,
  absent: (path) => `No secret engine mount at ${path}`,
  revoke: async () => {},
});

export const authKind = ({ methods, revokeBelow }: MountParts): MountKind => ({
  segment: 'auth',
  title: 'auth method',
  withArticle: 'an auth method',
  marks: { sudo: true },
  types: methods,
  config: configOf(authSettings),
  settings: authSettings,
  owns: isAuthPath,
  shows: isAuthPath,
  prefix: authPath,
  stored: (given) => authPath + mountPath(given),
  created: (given, field) => authPath + newMountPath(given, field),
  removed(given, field = 'path') {
    const path = mountPath(given);
    if (path === 'token/') throw badField(field, 'token credential backend cannot be disabled');
    return authPath + path;
  },
  absent: (path) => `No auth engine at ${path.slice(authPath.length)}`,
  revoke: (namespace, path, signal) => revokeBelow(namespace, path.replace(/\/$/, ''), signal),
});
