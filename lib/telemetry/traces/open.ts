import type { Config } from '../../core/config.ts';
import type { Log } from '../../core/log.ts';
import { noTracing, type Tracing, tracingBy } from './tracing.ts';

/** Tracing, and what sends the spans. */
export interface OpenTracing {
  readonly tracing: Tracing;
  /** Sends what has been gathered. Bounded, and never fails: whom a collector does not answer, works on. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const flushMsMax = 2_000;
/** A collector that hangs holds one batch for so long; the queue before it is bounded and drops what exceeds its bound. */
const exportMsMax = 5_000;
const queueSizeMax = 4_096;
const batchSizeMax = 512;
const gatherMs = 1_000;

const nothing: OpenTracing = { tracing: noTracing, async flush() {}, async close() {} };

/**
 * Tracing to the collector of the configuration (OTLP over HTTP); none where none is configured, and then the packages of the
 * SDK are not loaded. Bundles of functions leave them out: a layer of the functions has to bring them.
 */
export async function openTracing(config: Config, log: Log): Promise<OpenTracing> {
  const url = collectorOf(config);
  if (url === undefined) return nothing;
  const sdk = await loadSdk().catch(() => undefined);
  if (sdk === undefined) {
    log.warn({}, 'a collector of traces is configured, but the packages of OpenTelemetry are not there: no traces');
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

/** The address for traces is taken as it is; to the one for all signals the standard path is added. */
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
