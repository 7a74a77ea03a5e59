import type { Permission } from '../frame/verb/check.ts';
import { newWriteTracker } from '../frame/verb/verb.ts';
import type { Client } from './client/client.ts';
import { otherwise } from './failure.ts';
import type { Connection } from './fields/fields.ts';
import { secretsOf } from './look/secrets.ts';

/** What a role of the service account has to contain (docs/destinations/cloud-c-sm.md). */
export function permissionsOf(client: Client, { destroy_old_versions }: Connection): readonly Permission[] {
  const calls = (signal: AbortSignal) => secretsOf(client, signal, newWriteTracker());
  return [
    { name: named('secrets.get'), test: async (name, signal) => known(await calls(signal).find(name)) },
    { name: named('versions.get'), test: async (name, signal) => known(await calls(signal).newestVersion(name)) },
    ...(destroy_old_versions
      ? [
          {
            name: named('versions.list'),
            test: (name: string, signal: AbortSignal) =>
              otherwise(calls(signal).enabledVersions(name), { NOT_FOUND: undefined }),
          },
          { name: named('versions.destroy') },
        ]
      : []),
    ...['secrets.create', 'secrets.update', 'secrets.delete', 'versions.add'].map((right) => ({ name: named(right) })),
  ];
}

const named = (right: string): string => `secretmanager.${right}`;

const known = <Found>(found: Found | 'denied'): Found | 'unknown' =>
  found === 'denied' ? 'unknown' : (found as Exclude<Found, 'denied'>);
