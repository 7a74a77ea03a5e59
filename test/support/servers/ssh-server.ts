import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { patience } from '../measures/patience.ts';
import { ending } from '../services.ts';

/** A real server of SSH on the loopback address that runs until the end of the test. */
export interface SshServer {
  readonly port: number;
  /** Of the server itself, in the form of `known_hosts`, without the name of the host. */
  readonly hostKey: string;
  /** The private key that opens it. */
  readonly key: string;
}

const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((one) => existsSync(one));

/** Why there can be no server of SSH; undefined when there can be one. */
export const noSsh = program === undefined ? 'this machine has no sshd' : undefined;

/** A new private key and its public part, in the form of OpenSSH. */
export function newSshKey(): { readonly key: string; readonly publicKey: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ssh-key-'));
  try {
    const file = join(folder, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
    return { key: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8').trim() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Callers with the key run the commands that they ask for as the user of this process. */
export async function sshServer(): Promise<SshServer> {
  if (program === undefined) throw new Error('this machine has no sshd');
  // It separates its privileges here, if root starts it.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(join(tmpdir(), 'ssh-server-'));
  ending({ close: async () => rmSync(folder, { recursive: true, force: true }) });
  const [host, user] = [newSshKey(), newSshKey()];
  const files = { host: join(folder, 'host'), user: join(folder, 'authorized') };
  writeFileSync(files.host, host.key, { mode: 0o600 });
  writeFileSync(files.user, `${user.publicKey}\n`, { mode: 0o600 });
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = await freePort();
    if (await listens(program, port, files)) return { port, hostKey: host.publicKey, key: user.key };
  }
  throw new Error(`sshd did not start in ${attemptsMax} attempts`);
}

/** Another process may take the port that was free. */
const attemptsMax = 5;

/** Whether the program was started and took the port. */
async function listens(
  sshd: string,
  port: number,
  files: { readonly host: string; readonly user: string },
): Promise<boolean> {
  const options = {
    ListenAddress: `127.0.0.1:${port}`,
    HostKey: files.host,
    AuthorizedKeysFile: files.user,
    PidFile: 'none',
    PermitRootLogin: 'yes',
    StrictModes: 'no',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
  };
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const server = spawn(sshd, ['-D', '-e', '-f', '/dev/null', ...words], { stdio: 'ignore' });
  ending({ close: async () => void server.kill() });
  return Promise.race([
    answers(port).then(() => true),
    new Promise<boolean>((resolve) => server.once('exit', () => resolve(false))),
  ]);
}

/** The program cannot choose a port itself. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

async function answers(port: number): Promise<void> {
  const end = performance.now() + patience.conditionMs;
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
        .once('data', () => resolve(true))
        .once('close', () => resolve(false))
        .on('error', () => {});
      socket.once('data', () => socket.destroy());
    });
    if (isOpen) return;
    if (performance.now() > end) throw new Error('the server of SSH does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
