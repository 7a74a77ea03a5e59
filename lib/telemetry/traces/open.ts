import type { Config } from '#core/config.ts';
import type { Log } from '#core/log/log.ts';
import { noTracing, type Tracing, tracingBy } from './tracing.ts';

/** Tracing with its exporter. */
export interface OpenTracing {
  readonly tracing: Tracing;
  /** Sends the collected spans. Bounded, and never fails, even if the collector does not answer. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const flushMsMax = 2_000;
/** Time limit for one batch if the collector hangs. The queue of spans is bounded and drops the excess. */
const exportMsMax = 5_000;
const queueSizeMax = 4_096;
const batchSizeMax = 512;
const gatherMs = 1_000;

const nothing: OpenTracing = { tracing: noTracing, async flush() {}, async close() {} };

/**
 * Opens tracing to the configured collector (OTLP over HTTP). Without one, nothing is traced and the SDK packages are not loaded. Bundles of
 * functions do not contain these packages; a Lambda layer must provide them.
 */
export async function openTracing(config: Config, log: Log): Promise<OpenTracing> {
  const url = collectorOf(config);
  if (url === undefined) return nothing;
  const sdk = await loadSdk().catch(() => undefined);
  if (sdk === undefined) {
    log.warn(
      {},
      'a trace collector is configured, but the OpenTelemetry packages are not installed: nothing is traced',
    );
    return nothing;
  }
  const exporter = new sdk.OTLPTraceExporter({ url, timeoutMillis: exportMsMax });
  const spans = new sdk.BatchSpanProcessor(exporter, {
    maxQueueSize: queueSizeMax,
    maxExportBatchSize: batchSizeMax,
    scheduledDelayMillis: gatherMs,
    exportTimeoutMillis: exportMsMax,
  });
  const resource = sdk
    .defaultResource()
    .merge(sdk.resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }));
  const provider = new sdk.NodeTracerProvider({ resource, spanProcessors: [spans] });
  return {
    tracing: tracingBy(provider.getTracer('keyferry'), new sdk.W3CTraceContextPropagator()),
    flush: () => bounded(provider.forceFlush()),
    close: () => bounded(provider.shutdown()),
  };
}

async function loadSdk() {
  const [trace, core, otlp, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  return { ...trace, ...core, ...otlp, ...resources };
}

/** The endpoint for traces is used as it is; the standard path is appended to the endpoint for all signals. */
function collectorOf(config: Config): string | undefined {
  const general = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const standard = general === undefined ? undefined : `${general.replace(/\/+$/, '')}/v1/traces`;
  return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? standard;
}

async function bounded(work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, flushMsMax);
  await Promise.race([work.catch(() => {}), promise]).finally(() => clearTimeout(timer));
}
