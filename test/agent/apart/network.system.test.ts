import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { protectionFor } from '#agent/protection.ts';
import { sshProxyProgram } from '#agent/run/apart/network/environment.ts';
import { readAllowed } from '#agent/run/apart/network/guard.ts';
import type { AgentSettings } from '#agent/settings.ts';
import { silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import { confinedRun } from './confined.ts';
import { canGuardNetworks } from './isolates.ts';
import { abstractSocket, attempts, markerServer } from './network-attempts.ts';

// Names that this test gives addresses, as a name of the author of a configuration may have.
const addresses: Readonly<Record<string, string>> = {
  'metadata.test': '169.254.169.254',
  'inner.test': '10.1.2.3',
  'loopback.test': '127.0.0.1',
};
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const lookup = (host: string, options: object, done: (...found: unknown[]) => void) => {
    const address = addresses[host];
    if (address === undefined) return dns.lookup(host, options, done);
    process.nextTick(done, null, [{ address, family: 4 }]);
  };
  return { ...dns, lookup, default: { ...dns, lookup } };
});

type Network = NonNullable<NonNullable<Parameters<typeof confinedRun>[0]>['network']>;

async function guardedRun(network: Network) {
  const run = await confinedRun({ network });
  if (run.isIsolated) expect(run.isGuarded).toBe(canGuardNetworks(run.user));
  if (!run.isGuarded) console.info('this machine cannot give runs a network of their own');
  return run;
}

/** A server of another program of the machine, and the one of the agent. */
async function stage(network: Partial<Network> = {}) {
  const [server, other] = [await markerServer(), await markerServer()];
  return { server, other, run: await guardedRun({ address: server.address, ...network }) };
}

describe('a hostile configuration', () => {
  test('reaches no special address directly, by no form of it, and by no name', async () => {
    const { other, run } = await stage();
    if (!run.isGuarded) return;
    const targets = [
      ...['169.254.169.254:80', '2852039166:80', '0xa9fea9fe:80', '0251.0376.0251.0376:80', 'metadata.test:80'],
      ...['[::ffff:169.254.169.254]:80', '[::ffff:a9fe:a9fe]:80', '[64:ff9b::a9fe:a9fe]:80', '[fe80::1]:80'],
      ...['[fd00:ec2::254]:80', '100.100.100.200:80', '168.63.129.16:80', '224.0.0.1:80', '[ff02::1]:80'],
      ...[`127.0.0.1:${other.port}`, `[::1]:${other.port}`, `0.0.0.0:${other.port}`, `[::]:${other.port}`],
      ...[`localhost:${other.port}`, `loopback.test:${other.port}`, `2130706433:${other.port}`, `127.1:${other.port}`],
      ...['10.0.0.1:80', '172.16.0.1:80', '192.168.0.1:80', 'inner.test:443'],
    ];
    const tunnels = await attempts(run, ...targets.map((one) => `tunnel=${one}`));
    expect(tunnels.lines).toEqual(targets.map((one) => `tunnel ${one} status 403`));
    const plain = await attempts(run, ...targets.map((one) => `plain=${one}`));
    expect(plain.lines.map((line) => line.split(' ').slice(2, 4).join(' '))).toEqual(targets.map(() => 'status 403'));
    const named = targets.filter((one) => !one.startsWith('['));
    const socks = await attempts(run, ...named.map((one) => `socks=${one}`));
    expect(socks.lines).toEqual(named.map((one) => `socks ${one} status 5`));
    const ways = ['169.254.169.254:80', `127.0.0.1:${other.port}`, `::1:${other.port}`];
    const direct = await attempts(run, ...ways.map((one) => `direct=${one}`));
    expect(direct.lines).toEqual(ways.map((one) => expect.stringMatching(`^direct ${one} E[A-Z]+$`)));
    expect(other.seen).toEqual([]);
  });

  test('reaches no socket without a file of another program', async () => {
    const name = `marker-${process.pid}`;
    await abstractSocket(name);
    const { run } = await stage();
    if (!run.isGuarded) return;
    expect((await attempts(run, `direct=@${name}`)).lines).toEqual([`direct @${name} ECONNREFUSED`]);
  });

  test('would reach them in the network of the machine', async () => {
    if (!isSeen()) return;
    const name = `marker-open-${process.pid}`;
    await abstractSocket(name);
    const other = await markerServer();
    const { lines } = await attempts(await confinedRun(), `direct=@${name}`, `direct=127.0.0.1:${other.port}`);
    expect(lines).toEqual([
      `direct @${name} marker`,
      expect.stringMatching(`^direct 127.0.0.1:${other.port} HTTP/1.1 200 OK .* marker$`),
    ]);
  });

  test('gets a line in its log for each address, with what opens it', async () => {
    const { run } = await stage();
    if (!run.isGuarded) return;
    const { text } = await attempts(
      run,
      'tunnel=169.254.169.254:80',
      'plain=169.254.169.254',
      'tunnel=metadata.test:80',
    );
    const lines = text.split('\n').filter((line) => line.startsWith('strict networking'));
    expect(lines).toEqual([
      'strict networking blocked the connection to 169.254.169.254 port 80: 169.254.169.254 is in 169.254.0.0/16 (link local, cloud metadata), and KEYFERRY_AGENT_NETWORK_ALLOWED of the agent does not open it',
    ]);
    const many = Array.from({ length: 24 }, (_, at) => `tunnel=10.0.0.${at}:80`);
    const { text: all } = await attempts(run, ...many);
    const blocked = all.split('\n').filter((line) => line.startsWith('strict networking'));
    expect(blocked).toHaveLength(21);
    expect(blocked.at(-1)).toBe('strict networking blocked 4 more connections');
  });

  test('cannot change its network or make another one', async () => {
    const { run } = await stage();
    if (!run.isGuarded) return;
    const { text } = await run.say(`
      ip link add name other type dummy 2>&1 && echo changed
      ip link set lo down 2>&1 && echo changed
      unshare --net true 2>&1 && echo changed
      unshare --user --map-root-user --net true 2>&1 && echo changed
      [ -e /proc/$$/fd/3 ] && echo changed; env`);
    expect(text).not.toContain('changed');
    expect(text).not.toContain('NODE_CHANNEL');
  });
});

describe('a run', () => {
  test('reaches the server in every way, also on the loopback interface of the agent', async () => {
    const { server, run } = await stage();
    if (!run.isGuarded) return;
    const at = `127.0.0.1:${server.port}`;
    const { lines } = await attempts(run, `direct=${at}`, `tunnel=${at}`, `plain=${at}`, `socks=${at}`);
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['marker', 'marker', 'marker', 'marker']);
    expect(server.seen).toEqual(Array.from({ length: 4 }, () => 'GET /marker'));
    const named = await guardedRun({ address: `http://localhost:${server.port}` });
    const byName = await attempts(named, `direct=localhost:${server.port}`, `tunnel=localhost:${server.port}`);
    expect(byName.lines.map((line) => line.split(' ').at(-1))).toEqual(['marker', 'marker']);
  });

  test('reaches an address that the agent opens, and no other', async () => {
    const { other, run } = await stage({ allowed: '127.0.0.1/32' });
    if (!run.isGuarded) return;
    const at = `loopback.test:${other.port}`;
    const { lines } = await attempts(run, `tunnel=${at}`, `plain=${at}`, `socks=${at}`, 'tunnel=127.0.0.2:80');
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['marker', 'marker', 'marker', '403']);
    expect(() => readAllowed('10.0.0.0/8,443')).toThrow('KEYFERRY_AGENT_NETWORK_ALLOWED takes addresses only');
  });

  test('sends bodies of every length through the proxy', async () => {
    const bodies: number[] = [];
    const server = createServer((request, response) => {
      let bytes = 0;
      request
        .on('data', (piece) => (bytes += piece.length))
        .on('end', () => {
          bodies.push(bytes);
          response.end(Buffer.alloc(3_000_000, 'x'));
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = await guardedRun({ address });
    if (!run.isGuarded) return;
    const { text } = await run.say(`
      head -c 2000000 /dev/zero > body
      for way in 'Content-Length: 2000000' 'Transfer-Encoding: chunked'; do for method in POST DELETE; do
        curl -s --noproxy '' -x $HTTP_PROXY -X $method -H "$way" --data-binary @body ${address} | wc -c
      done; done`);
    expect(text.split(/\s+/).filter(Boolean)).toEqual(Array.from({ length: 4 }, () => '3000000'));
    expect(bodies).toEqual(Array.from({ length: 4 }, () => 2_000_000));
  });

  test('reaches hosts of SSH by a program that asks the proxy', async () => {
    const { other, run } = await stage({ allowed: '127.0.0.1/32' });
    if (!run.isGuarded) return;
    const file = join(run.folder.inputs, 'ssh-proxy.cjs');
    await writeFile(file, run.limits.confinement.isolation?.network?.sshProgram ?? '', { mode: 0o644 });
    const command = (host: string, port: number) =>
      `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | ${process.execPath} ${file} ${host} ${port}`;
    expect((await run.say(command('loopback.test', other.port))).text).toMatch(/200 OK[\s\S]*marker$/);
    expect((await run.say(command('169.254.169.254', 22))).text).toContain('the network of the run answered 403');
    expect(sshProxyProgram([])).toContain('3128');
  });
});

describe('proxies of the agent', () => {
  test('are the next hop of what the guard allows, with their password, which no run sees', async () => {
    const seen: string[] = [];
    const outer = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
      response.end('by the outer proxy');
    });
    outer.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
      socket.end('HTTP/1.1 200 OK\r\n\r\nby the outer proxy');
    });
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void outer.close());
    const proxy = `http://ada:marker-word@127.0.0.1:${(outer.address() as AddressInfo).port}`;
    const { server, run } = await stage({
      agent: { HTTP_PROXY: proxy, https_proxy: proxy, NO_PROXY: '.inner.example' },
    });
    if (!run.isGuarded) return;
    const hidden = `Basic ${Buffer.from('ada:marker-word').toString('base64')}`;
    const { lines } = await attempts(
      run,
      ...['tunnel=registry.invalid:443', 'plain=registry.invalid', `plain=127.0.0.1:${server.port}`],
      ...['tunnel=169.254.169.254:80', 'plain=metadata.test', 'socks=metadata.test:80', 'tunnel=a.inner.example:443'],
    );
    expect(lines.map((line) => line.split(' ').slice(2).join(' '))).toEqual([
      'by the outer proxy',
      'status 200 by the outer proxy',
      'status 200 marker',
      'status 403',
      expect.stringContaining('status 403'),
      'status 5',
      'status 502',
    ]);
    expect(seen).toEqual([`CONNECT registry.invalid:443 ${hidden}`, `GET http://registry.invalid/marker ${hidden}`]);
    expect((await run.say('env')).text).not.toContain('marker-word');
  });

  test('that do not speak HTTP are named at the start', async () => {
    await expect(
      confinedRun({ network: { address: 'http://127.0.0.1:1', agent: { HTTPS_PROXY: 'socks5://p:1' } } }),
    ).rejects.toThrow('HTTPS_PROXY (or ALL_PROXY) must be the address of a proxy for HTTP');
  });
});

describe('a machine', () => {
  const programs = ['sh', 'setpriv', 'unshare', 'mount', 'mkdir', 'prlimit'];

  // Not in a folder that is hidden from runs, as those of a machine are not.
  async function machineWith(...names: readonly string[]) {
    const folder = await mkdtemp(join(import.meta.dirname, 'programs-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    for (const name of names) await symlink(`/usr/bin/${name}`, join(folder, name));
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_details: object, text: string) => void warnings.push(text) };
    const confine = (changes: Partial<AgentSettings>) =>
      protectionFor({ ...settings(folder), ...changes } as AgentSettings, [], log);
    return { confine, warnings };
  }

  const settings = (path: string): Partial<AgentSettings> => ({
    address: 'http://127.0.0.1:1',
    token: new Secret('none'),
    folder: tmpdir(),
    user: undefined,
    hiddenFiles: [],
    isolation: 'required',
    network: 'guarded',
    networkAllowed: readAllowed(undefined),
    environment: { PATH: path },
  });

  test('brings the loopback interface up with perl where it has no ip', async () => {
    if (!isSeen() || !(await confinedRun()).isIsolated) return;
    const { confine } = await machineWith(...programs, 'perl');
    expect((await confine({})).isolation?.network?.programs).toEqual([process.execPath]);
  });

  test('with neither ip nor perl is refused or warned of', async () => {
    if (!isSeen() || !(await confinedRun()).isIsolated) return;
    const { confine, warnings } = await machineWith(...programs);
    await expect(confine({})).rejects.toThrow('ip or perl to bring up its loopback interface');
    const { isolation } = await confine({ isolation: 'auto' });
    expect([isolation === undefined, isolation?.network]).toEqual([false, undefined]);
    expect(warnings).toEqual([expect.stringContaining('KEYFERRY_AGENT_NETWORK=open accepts this')]);
    expect((await confine({ network: 'open' })).isolation?.network).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });
});

/** Runs see this folder, unless it is in one of those that are private to each run. */
function isSeen(): boolean {
  const isHidden = /^\/(tmp|var\/tmp|dev\/shm)\//.test(import.meta.dirname);
  if (isHidden) console.info(`runs do not see the programs of this test, which are in ${import.meta.dirname}`);
  return !isHidden;
}
