import type { OpenService } from '#test/support/flow/open-service.ts';

/** Destinations and secrets of several kinds: synced, refused for lack of credentials, and paused. */
export async function seed(service: OpenService) {
  const type = 'cloud-a-sm';
  const working = await service.destination(type);
  for (let at = 0; at < 8; at += 1)
    await service.set(type, working, await service.secret({ value: `v${at}` }, `app/production/service-${at}`));
  const broken = await service.destination(type, { secret_access_key: 'not-the-key' });
  for (let at = 0; at < 3; at += 1)
    await service.set(type, broken, await service.secret({ value: `w${at}` }, `app/staging/worker-${at}`));
  const records = await service.ask('GET', `sys/sync/records?name=${broken}`);
  const [first] = records.data['records'] as { id: string }[];
  await service.ask('POST', 'sys/sync/batches', { action: 'replay', type, name: broken });
  return { working, broken, failedRecord: first?.id ?? '' };
}
