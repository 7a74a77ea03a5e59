import { badRequest } from '../../../../core/errors.ts';
import type { Namespace } from '../../../../core/namespace.ts';
import type { OperationMarks } from '../../../../path/contract/row.ts';
import type { EngineDefinition } from '../../../contract.ts';
import type { MountParts } from '../parts.ts';
import { authSettings, type ConfigField, configOf, settings } from '../settings/fields.ts';
import { authPath, isAuthPath, mountPath, newMountPath, removablePath } from './path.ts';

/** What the rows of a kind of mounts know of it. Secrets engines and auth methods are mounted, shown and tuned in one way. */
export interface MountKind {
  /** The segment of its rows below `sys/`. */
  readonly segment: 'mounts' | 'auth';
  /** For people. */
  readonly title: 'secrets engine' | 'auth method';
  readonly marks: Pick<OperationMarks, 'sudo'>;
  /** What can be mounted. */
  readonly types: readonly Pick<EngineDefinition, 'type' | 'version' | 'names'>[];
  readonly config: ConfigField;
  readonly settings: typeof authSettings;
  owns(path: string): boolean;
  /** Whether a mount at this path is shown by its rows, one by one. */
  shows(path: string): boolean;
  /** Where a mount is in the mount table. The list of the kind shows it without `prefix`. */
  stored(given: string): string;
  readonly prefix: '' | 'auth/';
  /** @throws AppError `bad-request` for a path that no new mount may have */
  created(given: string): string;
  /** @throws AppError `bad-request` for a mount that is always there */
  removed(given: string): string;
  /** Undefined: nothing is at this path. */
  absent(path: string): string;
  /** Ends what was given by the mount. */
  revoke(namespace: Namespace, path: string, signal: AbortSignal): Promise<void>;
}

export const secretKind = ({ engines }: MountParts): MountKind => ({
  segment: 'mounts',
  title: 'secrets engine',
  marks: {},
  types: engines,
  config: configOf(settings),
  // Clients tune auth methods here as well.
  settings: authSettings,
  owns: (path) => !isAuthPath(path),
  // Clients read auth methods here as well.
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
  marks: { sudo: true },
  types: methods,
  config: configOf(authSettings),
  settings: authSettings,
  owns: isAuthPath,
  shows: isAuthPath,
  prefix: authPath,
  stored: (given) => authPath + mountPath(given),
  created: (given) => authPath + newMountPath(given),
  removed(given) {
    const path = mountPath(given);
    if (path === 'token/') throw badRequest('token credential backend cannot be disabled');
    return authPath + path;
  },
  absent: (path) => `No auth engine at ${path.slice(authPath.length)}`,
  revoke: (namespace, path, signal) => revokeBelow(namespace, path.replace(/\/$/, ''), signal),
});
