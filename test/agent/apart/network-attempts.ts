import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { confinedRun } from './confined.ts';

/** Attempts of a run to reach something: a line `<way> <target> <what came back>` for each of its arguments, which are `way=target`. */
const program = `
const http = require('node:http'), net = require('node:net');
const proxy = new URL(process.env.HTTP_PROXY ?? 'http://127.0.0.1:3128');
const socks = new URL(process.env.ALL_PROXY ?? 'socks5h://127.0.0.1:1080');
const at = { host: proxy.hostname, port: Number(proxy.port), agent: false };
const line = (text) => text.replaceAll(/\\s+/g, ' ').trim();
const asked = 'GET /marker HTTP/1.0\\r\\n\\r\\n';
function spoken(socket, done, head = '') {
  let text = String(head);
  socket.on('data', (piece) => { text += piece; }).on('end', () => done(text)).on('error', (error) => done(error.code));
  socket.write(asked);
}
const ways = {
  direct: (target, done) => {
    const [, host, port] = /^(.*):(\\d+)$/.exec(target) ?? [];
    spoken(net.connect(port === undefined ? { path: target.replace('@', '\\0') } : { host, port: Number(port) }), done);
  },
  tunnel: (target, done) => {
    const request = http.request({ ...at, method: 'CONNECT', path: target });
    request.on('error', (error) => done(error.code)).on('connect', (response, socket, head) => {
      if (response.statusCode === 200) spoken(socket, done, head);
      else { socket.destroy(); done('status ' + response.statusCode); }
    }).end();
  },
  plain: (target, done) => {
    const request = http.request({ ...at, path: 'http://' + target + '/marker' }, (response) => {
      let text = 'status ' + response.statusCode + ' ';
      response.on('data', (piece) => { text += piece; }).on('end', () => done(text));
    });
    request.on('error', (error) => done(error.code)).end();
  },
  socks: (target, done) => {
    const [, host, port] = /^(.*):(\\d+)$/.exec(target);
    const socket = net.connect(Number(socks.port), socks.hostname);
    socket.on('error', (error) => done(error.code));
    socket.write(Buffer.from([5, 1, 0]));
    socket.once('data', () => {
      socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), Buffer.from(host), Buffer.from([port >> 8, port & 255])]));
      socket.once('data', (reply) => (reply[1] === 0 ? spoken(socket, done) : done('status ' + reply[1])));
    });
  },
};
(async () => {
  for (const one of process.argv.slice(2)) {
    const way = one.slice(0, one.indexOf('=')), target = one.slice(one.indexOf('=') + 1);
    const what = await new Promise((done) => ways[way](target, done));
    console.log([way, target, line(String(what))].join(' '));
  }
  process.exit(0);
})();
`;

type Run = Awaited<ReturnType<typeof confinedRun>>;

/** Lets a run try these, each `way=target` with the ways direct, tunnel, plain and socks. */
export async function attempts({ folder, say }: Run, ...asked: readonly string[]) {
  const file = join(folder.inputs, 'attempts.cjs');
  await writeFile(file, program, { mode: 0o644 });
  const { code, text } = await say(`${process.execPath} ${file} ${asked.map((one) => `'${one}'`).join(' ')}`);
  return { code, text, lines: text.split('\n').filter((line) => /^(direct|tunnel|plain|socks) /.test(line)) };
}

/** A server on the loopback interface of the machine that says `marker`, and what it was asked. */
export async function markerServer() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    response.setHeader('connection', 'close');
    response.end('marker');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  return { server, port, seen, address: `http://127.0.0.1:${port}` };
}

/** A socket of the machine that has a name but no file. */
export async function abstractSocket(name: string): Promise<void> {
  const server = createSocketServer((client) => void client.on('error', () => {}).end('marker'));
  await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
  onTestFinished(() => void server.close());
}
