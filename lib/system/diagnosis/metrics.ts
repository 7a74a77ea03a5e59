import { z } from 'zod';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';

/** The metrics as text exposition format and as objects. */
export interface MetricsReading {
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
  families(): Promise<readonly object[]>;
}

export interface MetricsRowParts {
  readonly metrics: MetricsReading;
  /** Whether scrapers need no token. Without one they are answered even while the service is sealed. */
  readonly unauthenticated: boolean;
}

/** The last one is the default. */
const formats = ['prometheus', 'json', ''] as const;
const formatRule = 'format must be "prometheus" or "json"';

const fields = {
  format: text().pipe(z.enum(formats, formatRule)).default('').meta({
    description: 'prometheus: the text exposition format. json: objects in the usual envelope, which is the default',
  }),
};

/** `sys/metrics`: the metrics of the answering process, with gauges of the store and the queue. */
export const metricsRow = ({ metrics, unauthenticated }: MetricsRowParts): Row => ({
  pattern: 'metrics',
  help: 'Shows metrics of the answering process, and of the queue and the store that all processes share.',
  operations: {
    read: operation(fields, {
      summary: 'Show metrics as JSON, or for scrapers with format=prometheus',
      rootNamespaceOnly: true,
      unauthenticated,
      whileSealed: unauthenticated,
      forProbes: true,
      replies: { 200: { mediaTypes: ['application/json', 'text/plain'] } },
      run: async ({ format }, { headers }) => {
        if (format === 'prometheus' || (format === '' && wantsText(headers))) return { text: await metrics.text() };
        return { data: { metrics: await metrics.families() } };
      },
    }),
  },
});

/** Scrapers send the formats they accept; every scraper that accepts OpenMetrics also accepts the text format 0.0.4. */
function wantsText({ accept }: RequestContext['headers']): boolean {
  return /application\/openmetrics-text|text\/plain\s*;\s*version=0\.0\.4/i.test(String(accept ?? ''));
}
