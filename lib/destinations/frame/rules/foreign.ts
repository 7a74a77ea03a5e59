import type { Log } from '../../../core/log.ts';
import { DestinationFailure } from '../../contract.ts';

/** Something that we did not write has the name. `what`: "a secret of this name in the vault". */
export const foreignObject = (what: string): DestinationFailure =>
  new DestinationFailure(
    'conflict',
    `${what} was there before and is not ours: remove it there, change secret_name_template, or adopt it`,
  );

/** A removal leaves alone what is not ours, and succeeds. */
export const warnOfForeign = (log: Log, name: string): void =>
  log.warn({ name }, 'nothing to remove: the secret of this name is not ours');
