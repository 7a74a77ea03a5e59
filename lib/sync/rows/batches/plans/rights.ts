import type { RequestContext } from '#path/contract/request.ts';
import { type PlanSecret, planDestinations, planSecretsAfter } from '#sync/batches/plans/contents.ts';
import type { SyncParts } from '../../parts.ts';
import { requireSecretRead } from '../../rights/secret-read.ts';

/**
 * Who applies a plan must still be allowed to make it: the right to plan at each of its destinations and, where it sets associations
 * again, to set them there and to read each secret.
 * @throws AppError `permission-denied`
 */
export async function requirePlanRights(parts: SyncParts, planId: string, context: RequestContext): Promise<void> {
  const destinations = await planDestinations(parts.store, context.namespace.id, planId);
  for (const { type, name, granularity } of destinations) {
    const path = `sys/sync/destinations/${type}/${name}`;
    await context.mustBeAllowed('read', `${path}/plan`);
    if (granularity !== null) await context.mustBeAllowed('write', `${path}/associations/set`);
  }
  let after: string | undefined = '0';
  while (after !== undefined) {
    const page: readonly PlanSecret[] = await planSecretsAfter(parts.store, context.namespace.id, planId, after);
    for (const { mount_path, secret_name } of page) {
      const mount = await parts.mounts.resolve(mount_path, context.namespace);
      if (mount?.path === mount_path) await requireSecretRead(parts, context, mount, secret_name);
    }
    after = page.at(-1)?.association_id;
  }
}
