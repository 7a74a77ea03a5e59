import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A static page, beside which ours is measured. */
export interface BarePage {
  readonly address: string;
  close(): void;
}

/** Serves a page with one heading, and below it a box that scrolls plain rows if there are any. */
export async function serveBare(rows = 0): Promise<BarePage> {
  const text = bareText(rows);
  const server = createServer((_request, reply) => reply.setHeader('content-type', 'text/html').end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

const style = `
  body { font: 14px sans-serif }
  .rows { height: 612px; overflow: auto }
  .row { display: grid; grid-template-columns: 11rem 1.4fr 1fr 9rem; align-items: center; height: 52px; border-bottom: 1px solid #ddd; contain: strict }`;

const bareText = (rows: number): string =>
  `<!doctype html><html lang="en"><title>Bare</title><style>${style}</style><h1>A page with one heading</h1>${rows === 0 ? '' : `<div class="rows" role="grid" aria-label="Records">${Array.from({ length: rows }, (_, at) => bareRow(at)).join('')}</div>`}</html>`;

const bareRow = (at: number): string =>
  `<div class="row"><div>Synced</div><div>secret/plain/${at}</div><div>destination</div><div>1 hour ago</div></div>`;
