import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, textList } from '#path/fields.ts';
import { quotaSetting, readQuotaConfig } from '#quotas/store.ts';
import type { Store } from '#store/store.ts';

const exemptMax = 100;

const fields = {
  rate_limit_exempt_paths: textList()
    .optional()
    .meta({ description: 'Paths exempt from rate limits; a final * matches any rest' }),
  enable_rate_limit_response_headers: bool()
    .optional()
    .meta({ description: 'Whether replies carry rate limit headers' }),
  enable_rate_limit_audit_logging: bool().optional().meta({ description: 'Stored and returned, but without effect' }),
};

/** `sys/quotas/config`. Calls `changed` after a change. */
export const quotaConfigRow = (store: Store, changed: () => void): Row => ({
  pattern: 'quotas/config',
  help: 'Sets the paths that are exempt from rate limits, and whether replies show rate limits in headers.',
  operations: {
    read: operation(
      {},
      {
        rootNamespaceOnly: true,
        summary: 'Show the settings of quotas',
        run: async () => ({ data: await readQuotaConfig(store) }),
      },
    ),
    write: operation(fields, {
      summary: 'Change the settings of quotas; omitted fields keep their values',
      rootNamespaceOnly: true,
      async run(input) {
        const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
        const config = { ...(await readQuotaConfig(store)), ...given };
        if (config.rate_limit_exempt_paths.length > exemptMax)
          throw badField('rate_limit_exempt_paths', `at most ${exemptMax} paths can be exempt`);
        await quotaSetting.write(store.db, config);
        changed();
        return undefined;
      },
    }),
  },
});
