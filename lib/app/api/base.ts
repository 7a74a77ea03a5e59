import type { Config } from '#core/config.ts';
import type { Shared } from '../shared.ts';
import type { LevelledLog } from './diagnosis.ts';

/** What every part of the API is opened with. */
export interface Base {
  readonly config: Config;
  readonly log: LevelledLog;
  readonly shared: Shared;
}
