import { z } from 'zod';
import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, textList } from '../../../path/fields.ts';
import type { Store } from '../../../store/store.ts';
import { storedSetting } from '../config/settings.ts';

/** What holds for all quotas. */
export interface QuotaConfig {
  /** Full paths, `*` at the end for what begins so. */
  readonly rate_limit_exempt_paths: readonly string[];
  readonly enable_rate_limit_response_headers: boolean;
  /** Kept for tools that set it. */
  readonly enable_rate_limit_audit_logging: boolean;
}

const none: QuotaConfig = {
  rate_limit_exempt_paths: [],
  enable_rate_limit_response_headers: false,
  enable_rate_limit_audit_logging: false,
};
const exemptMax = 100;

const setting = storedSetting<QuotaConfig>(
  'quotas',
  z.object({
    rate_limit_exempt_paths: z.array(z.string()),
    enable_rate_limit_response_headers: z.boolean(),
    enable_rate_limit_audit_logging: z.boolean(),
  }),
);

export const readQuotaConfig = async ({ db }: Store): Promise<QuotaConfig> => (await setting.read(db)) ?? none;

const fields = {
  rate_limit_exempt_paths: textList()
    .optional()
    .meta({ description: 'Paths that no rate limit is for; * at the end stands for the rest' }),
  enable_rate_limit_response_headers: bool()
    .optional()
    .meta({ description: 'Replies tell how many requests are left' }),
  enable_rate_limit_audit_logging: bool().optional().meta({ description: 'Kept for tools that set it' }),
};

/** `sys/quotas/config`. `changed` is told after a change. */
export const quotaConfigRow = (store: Store, changed: () => void): Row => ({
  pattern: 'quotas/config',
  help: 'What holds for all quotas: the paths that no rate limit is for, and the headers of replies.',
  operations: {
    read: operation(
      {},
      { rootNamespaceOnly: true, summary: 'Show it.', run: async () => ({ data: await readQuotaConfig(store) }) },
    ),
    write: operation(fields, {
      summary: 'Change it; what is not given stays.',
      rootNamespaceOnly: true,
      async run(input) {
        const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
        const config = { ...(await readQuotaConfig(store)), ...given };
        if (config.rate_limit_exempt_paths.length > exemptMax)
          throw badRequest(`at most ${exemptMax} paths can be exempt`);
        await setting.write(store.db, config);
        changed();
        return undefined;
      },
    }),
  },
});
