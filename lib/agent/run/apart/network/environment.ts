import { quoted } from '../shell.ts';
import type { Listener } from './listen.ts';

/** Ports of the proxies in the network of a run, where nothing else listens before the command. */
const usualPorts = { http: 3_128, socks: 1_080 };
const loopback = '127.0.0.1';

/** The address of the server, which a run reaches in any case. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export function serverAddress(address: string): ServerAddress {
  const { hostname, port, protocol } = new URL(address);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) };
}

/**
 * The listeners of a run: the proxies, and the server itself if its address is on the loopback interface, since programs do not use a proxy for such
 * an address.
 */
export function listenersFor(server: ServerAddress): readonly Listener[] {
  const isOnLoopback = server.host === 'localhost' || server.host === '::1' || /^127(\.\d+){3}$/.test(server.host);
  const free = (port: number) => (port === server.port ? port + 1 : port);
  const own = (host: string, isOptional = false) => ({ role: 'server', host, port: server.port, isOptional }) as const;
  return [
    { role: 'http', host: loopback, port: free(usualPorts.http) },
    { role: 'socks', host: loopback, port: free(usualPorts.socks) },
    ...(!isOnLoopback ? [] : server.host === 'localhost' ? [own(loopback), own('::1', true)] : [own(server.host)]),
  ];
}

/** The variables by which programs of a run find the proxies. Its own loopback interface needs none. */
export function proxyVariables(listeners: readonly Listener[]): Readonly<Record<string, string>> {
  const at = (role: 'http' | 'socks') => `${loopback}:${listeners.find((one) => one.role === role)?.port}`;
  const http = `http://${at('http')}`;
  const values = {
    HTTP_PROXY: http,
    HTTPS_PROXY: http,
    ALL_PROXY: `socks5h://${at('socks')}`,
    NO_PROXY: 'localhost,127.0.0.1,::1',
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

/** A program of the run for SSH, which knows no proxy by itself: it asks the one at a port for the host and the port in its arguments. */
function reachThroughProxy(http: typeof import('node:http'), own: NodeJS.Process, port: number): void {
  const [host = '', remotePort] = own.argv.slice(2);
  const path = `${host.includes(':') ? `[${host}]` : host}:${remotePort}`;
  const fail = (why: string) => {
    own.stderr.write(`no connection to ${path}: ${why}\n`, () => own.exit(1));
  };
  const request = http.request({ host: '127.0.0.1', port, method: 'CONNECT', path, agent: false });
  request.once('error', (error) => fail(error.message));
  request.once('connect', ({ statusCode }, socket, head) => {
    if (statusCode !== 200) fail(`the network of the run answered ${statusCode}`);
    else {
      own.stdout.write(head);
      socket.on('error', () => own.exit(1)).once('close', () => own.exit(0));
      own.stdin.pipe(socket);
      socket.pipe(own.stdout);
    }
  });
  request.end();
}

/** The text of that program. */
export function sshProxyProgram(listeners: readonly Listener[]): string {
  const { port } = listeners.find(({ role }) => role === 'http') ?? { port: usualPorts.http };
  return `(${reachThroughProxy})(require('node:http'), process, ${port});\n`;
}

/** The option of `ssh` that uses it, as a word of a shell. */
export const sshProxyOption = (file: string): string => {
  const command = `${quoted(process.execPath)} ${quoted(file)}`.replaceAll('%', '%%');
  return quoted(`ProxyCommand=${command} %h %p`);
};
