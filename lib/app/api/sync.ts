import { partOf } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { engines } from '#engines/index.ts';
import { syncedSecrets } from '#engines/list.ts';
import type { CopiedMounts } from '#mounts/contract/mounts.ts';
import { openWebhooks } from '#network/webhooks.ts';
import { noticeRows } from '#notices/rows/index.ts';
import type { Row } from '#path/contract/row.ts';
import { longestWaitMs } from '#path/long-poll.ts';
import { openMarker } from '#sync/marking/marker.ts';
import { syncRows } from '#sync/rows/index.ts';
import type { Closable } from '../shared.ts';
import type { Base } from './base.ts';

/** The rows of `sys/sync/`, the marker of changed secrets behind them, and the calls of test messages. */
export function openSyncRows(
  { config, log: all, shared }: Base,
  mounts: CopiedMounts,
): Closable & { readonly rows: readonly Row[] } {
  const { store, clock, queue, changed, networkBounds } = shared;
  const log = partOf(all, 'sync');
  const pollMsMax = longestWaitMs(config.KEYFERRY_REQUEST_MS_MAX);
  const secrets = syncedSecrets(engines, { store, changed, secretBytesMax: config.KEYFERRY_BODY_BYTES_MAX });
  const marker = openMarker({ store, changed, log });
  const rows = syncRows({
    store,
    clock,
    queue,
    asks: queue,
    changed,
    networkBounds,
    log,
    marker,
    definitions,
    mounts,
    currentSecret: secrets.current,
    secretsBelow: secrets.below,
    holdSecrets: secrets.hold,
    describeSecrets: secrets.describe,
    describeBelow: secrets.describeBelow,
    readPath: secrets.readPath,
    syncedMounts: secrets.titles.join(' or '),
    credentialsDir: config.KEYFERRY_CREDENTIALS_DIR,
    waitMs: config.KEYFERRY_SYNC_WAIT_MS,
    pollMsMax,
    drainMs: config.KEYFERRY_SYNC_LOCK_MS,
  });
  const webhooks = openWebhooks(networkBounds);
  const notices = noticeRows({ store, definitions, webhooks, networkBounds, pollMsMax });
  return {
    rows: [...rows, ...notices],
    async close() {
      await marker.close();
      await webhooks.close();
    },
  };
}
