import { movedBy, type SecretPart, straySecrets } from '../../../path/shown-path.ts';
import type { Target } from '../engines.ts';

/** The parts of a path that no log shows in clear: those of its row, or what looks like a token where no row has the path. */
export function secretsOf(path: string, target: Target | undefined): readonly SecretPart[] {
  if (target?.match === undefined) return straySecrets(path);
  const { mount, match } = target;
  return match.secrets.length === 0 ? none : movedBy(match.secrets, mount.path.split('/').length - 1);
}

const none: readonly SecretPart[] = [];
