import { type Config, ConfigError } from '#core/config.ts';
import type { Log } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { type Bell, openBell } from '#queue/wake/bell.ts';

/** The doorbell of worker functions; undefined when none is configured, because workers in containers always listen. */
export async function openDoorbell(config: Config, redisUrl: string, log: Log): Promise<Bell | undefined> {
  const queues = config.KEYFERRY_DOORBELL_SQS;
  if (queues === undefined) return undefined;
  mustKnow(Object.keys(queues));
  // A process without a doorbell does not load the client.
  const { sqsDoorbell } = await import('./sqs-doorbell.ts');
  const sender = sqsDoorbell(queues);
  const bell = openBell({ redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, sender, log });
  return {
    ...bell,
    close() {
      bell.close();
      sender.close();
    },
  };
}

function mustKnow(types: readonly string[]): void {
  const unknown = types.filter((type) => !definitions.some((definition) => definition.type === type));
  if (unknown.length === 0) return;
  throw new ConfigError(`KEYFERRY_DOORBELL_SQS names unknown destination types: ${unknown.join(', ')}`);
}
