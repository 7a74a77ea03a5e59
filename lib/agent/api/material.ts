import { z } from 'zod';

const texts = z.array(z.string()).readonly();

/** What an agent gets for a job: the attributes of the document. */
export const material = z
  .object({
    'run-id': z.string(),
    'workspace-id': z.string(),
    'workspace-name': z.string(),
    'organization-name': z.string(),
    'project-name': z.string(),
    part: z.enum(['plan', 'apply']),
    'working-directory': z.string().nullable(),
    'engine-version': z.string(),
    'structured-run-output-enabled': z.boolean(),
    'is-destroy': z.boolean(),
    refresh: z.boolean(),
    'refresh-only': z.boolean(),
    /** Whether the plan looks for drift and failing checks. Servers of earlier versions do not say so. */
    'is-assessment': z.boolean().default(false),
    'allow-config-generation': z.boolean(),
    'target-addrs': texts,
    'replace-addrs': texts,
    variables: z
      .array(
        z.object({
          key: z.string(),
          value: z.string(),
          category: z.enum(['terraform', 'env']),
          hcl: z.boolean(),
          sensitive: z.boolean(),
        }),
      )
      .readonly(),
    /** Tokens of the workload identity, by the names of their environment variables. Servers of earlier versions send none. */
    'identity-tokens': z
      .array(z.object({ key: z.string(), value: z.string() }))
      .readonly()
      .default([]),
    'run-variables': z.array(z.object({ key: z.string(), value: z.string() })).readonly(),
    'ssh-key': z.string().nullable(),
    'state-download-url': z.string().nullable(),
    /** The address by which users know the service. Servers of earlier versions do not say it. */
    'public-url': z.string().nullable().default(null),
    'cancel-requested': z.boolean(),
    'lease-seconds': z.number(),
  })
  .readonly();

export type Material = z.infer<typeof material>;

/** A job that was taken. */
export const taken = z.object({ 'run-id': z.string(), part: z.enum(['plan', 'apply']), token: z.string() }).readonly();
