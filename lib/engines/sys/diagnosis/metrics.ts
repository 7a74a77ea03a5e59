import { z } from 'zod';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { text } from '../../../path/fields.ts';

/** What the row reads: the text exposition format, and the same as objects. */
export interface MetricsReading {
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
  families(): Promise<readonly object[]>;
}

export interface MetricsRowParts {
  readonly metrics: MetricsReading;
  /** Scrapers need no token. They are then answered while the service is sealed too. */
  readonly unauthenticated: boolean;
}

/** The last one is the usual. */
const formats = ['prometheus', 'json', ''] as const;
const formatRule = 'format has to be "prometheus" or "json"';

const fields = {
  format: text().pipe(z.enum(formats, formatRule)).default('').meta({
    description: 'prometheus: the text exposition format. json: objects in the usual envelope; this is the default.',
  }),
};

/** `sys/metrics`: the metrics of the process that answers, and what is known of the store and the queue. */
export const metricsRow = ({ metrics, unauthenticated }: MetricsRowParts): Row => ({
  pattern: 'metrics',
  help: 'Metrics of the process that answers, and of the queue and the store that it shares with the others.',
  operations: {
    read: operation(fields, {
      summary: 'Metrics for scrapers, with format=prometheus, or as JSON.',
      rootNamespaceOnly: true,
      ownForm: true,
      unauthenticated,
      whileSealed: unauthenticated,
      forProbes: true,
      run: async ({ format }, { headers }) => {
        if (format === 'prometheus' || (format === '' && wantsText(headers))) return { text: await metrics.text() };
        return { data: { metrics: await metrics.families() } };
      },
    }),
  },
});

/** Scrapers say what they understand; whoever understands OpenMetrics understands the text format 0.0.4. */
function wantsText({ accept }: RequestContext['headers']): boolean {
  return /application\/openmetrics-text|text\/plain\s*;\s*version=0\.0\.4/i.test(String(accept ?? ''));
}
