import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** The received bodies, unparsed. */
  readonly bytes: readonly Buffer[];
  close(): Promise<void>;
}

/** A trace collector (OTLP over HTTP, protobuf) that keeps the spans that it receives. `hangs`: it never answers. */
export async function startCollector({ hangs = false } = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bytes: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    bytes.push(body);
    if (request.url === '/v1/traces') spans.push(...spansOf(body));
    if (!hangs) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { endpoint: `http://127.0.0.1:${port}`, spans, bytes, close };
}

/** `ExportTraceServiceRequest`: resource spans (1) of a resource (1) and of scope spans (2) with spans (2). */
function spansOf(body: Buffer): readonly ReceivedSpan[] {
  return all(body, 1).flatMap((resourceSpans) => {
    const service = String(attributesOf(all(resourceSpans, 1)[0] ?? empty, 1)['service.name']);
    return all(resourceSpans, 2)
      .flatMap((scopeSpans) => all(scopeSpans, 2))
      .map((span) => ({
        service,
        traceId: first(span, 1).toString('hex'),
        spanId: first(span, 2).toString('hex'),
        parentSpanId: first(span, 4).toString('hex'),
        name: first(span, 5).toString(),
        attributes: attributesOf(span, 9),
      }));
  });
}

/** `KeyValue`s: key (1) and value (2), of which texts (1) and whole numbers (3) are read. */
function attributesOf(message: Buffer, field: number): Readonly<Record<string, unknown>> {
  const entries = all(message, field).map((pair) => {
    const value = fieldsOf(first(pair, 2));
    const text = value.find(([number]) => number === 1)?.[1];
    return [first(pair, 1).toString(), Buffer.isBuffer(text) ? text.toString() : value[0]?.[1]] as const;
  });
  return Object.fromEntries(entries);
}

const empty = Buffer.alloc(0);

const all = (message: Buffer, field: number): readonly Buffer[] =>
  fieldsOf(message).flatMap(([number, value]) => (number === field && Buffer.isBuffer(value) ? [value] : []));

const first = (message: Buffer, field: number): Buffer => all(message, field)[0] ?? empty;

/** The wire format of protocol buffers: numbers, fixed numbers (skipped), and bytes. */
function fieldsOf(message: Buffer): readonly (readonly [number, Buffer | number])[] {
  const fields: (readonly [number, Buffer | number])[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; at < message.length; factor *= 128) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < message.length) {
    const tag = varint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) fields.push([field, varint()]);
    else if (type === 2) {
      const length = varint();
      fields.push([field, message.subarray(at, at + length)]);
      at += length;
    } else at += type === 1 ? 8 : 4;
  }
  return fields;
}
