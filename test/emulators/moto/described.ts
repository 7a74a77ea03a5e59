import { z } from 'zod';
import { headersFor } from './api.ts';

/** What moto shows of a secret besides its value. */
export interface Described {
  /** Milliseconds, or 0 when the secret is not scheduled for deletion. */
  readonly deletedAt: number;
  readonly key: string | undefined;
  readonly replicas: readonly string[];
  readonly versions: readonly string[];
}

const answer = z.object({
  DeletedDate: z.number().nullish(),
  KmsKeyId: z.string().nullish(),
  ReplicationStatus: z.array(z.object({ Region: z.string() })).default([]),
  VersionIdsToStages: z.record(z.string(), z.array(z.string())).default({}),
});

/** Undefined when the secret does not exist. */
export async function describeSecret(emulator: string, name: string): Promise<Described | undefined> {
  const body = JSON.stringify({ SecretId: name });
  const response = await fetch(`${emulator}/`, { method: 'POST', headers: headersFor('DescribeSecret'), body });
  if (!response.ok) return undefined;
  const shown = answer.parse(await response.json());
  return {
    deletedAt: (shown.DeletedDate ?? 0) * 1000,
    key: shown.KmsKeyId ?? undefined,
    replicas: shown.ReplicationStatus.map(({ Region }) => Region).sort(),
    versions: Object.keys(shown.VersionIdsToStages),
  };
}
