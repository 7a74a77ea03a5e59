import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ending } from '../services.ts';

/** A server of real bare repositories over HTTP, by the program that comes with git. */
export interface GitServer {
  readonly url: string;
  readonly folder: string;
  /** The headers `Authorization` of all requests, in their order. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[];
  /** The only password that opens it; undefined: no password is needed. */
  password: string | undefined;
  /** Instead of an answer: a redirect to this address. */
  redirect: string | undefined;
  /** Instead of an answer: an error with this status. */
  fault: number | undefined;
  /** Makes a repository such as `acme/site`. */
  repository(name: string): TestRepository;
}

/** A repository with a work tree to commit from. */
export interface TestRepository {
  readonly name: string;
  /** Commits files on a branch and pushes it. Null removes a file; `{ to }` is a link. Returns the commit. */
  commit(
    files: Readonly<Record<string, string | null | { readonly to: string }>>,
    more?: { branch?: string; message?: string; from?: string },
  ): string;
  /** Names a commit, such as `refs/tags/v1`. */
  point(ref: string, commit: string): void;
  git(...words: readonly string[]): string;
}

/** The version of git on this machine; undefined without one. */
export function gitVersion(): string | undefined {
  try {
    return execFileSync('git', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const environment = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** Runs until the end of the test. */
export async function gitServer(): Promise<GitServer> {
  const folder = mkdtempSync(join(tmpdir(), 'git-server-'));
  const state: GitServer = {
    url: '',
    folder,
    asked: [],
    password: undefined,
    redirect: undefined,
    fault: undefined,
    repository: (name) => repositoryIn(folder, name),
  };
  const server = createServer((request, response) => answer(state, request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  ending({
    close: async () => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  return state;
}

function repositoryIn(folder: string, name: string): TestRepository {
  const bare = join(folder, `${name}.git`);
  const tree = join(folder, 'trees', name);
  mkdirSync(bare, { recursive: true });
  mkdirSync(tree, { recursive: true });
  const run = (cwd: string, ...words: readonly string[]) =>
    execFileSync('git', [...words], {
      cwd,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  run(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  run(bare, 'config', 'http.receivepack', 'false');
  run(tree, 'init', '--quiet', '--initial-branch=main');
  run(tree, 'remote', 'add', 'origin', bare);
  return {
    name,
    git: (...words) => run(tree, ...words),
    point: (ref, commit) => void run(tree, 'push', '--quiet', '--force', 'origin', `${commit}:${ref}`),
    commit(files, { branch = 'main', message = 'A change', from } = {}) {
      run(tree, 'checkout', '--quiet', ...(from === undefined ? [] : [from]), '-B', branch);
      for (const [path, text] of Object.entries(files)) {
        const file = join(tree, path);
        mkdirSync(dirname(file), { recursive: true });
        rmSync(file, { force: true, recursive: true });
        if (typeof text === 'string') writeFileSync(file, text);
        else if (text !== null) symlinkSync(text.to, file);
      }
      run(tree, 'add', '--all');
      run(tree, 'commit', '--quiet', '--allow-empty', '--message', message);
      run(tree, 'push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
      return run(tree, 'rev-parse', 'HEAD');
    },
  };
}

function answer(state: GitServer, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const { authorization } = request.headers;
  state.asked.push({ path: url.pathname, authorization });
  if (state.redirect !== undefined)
    return void response.writeHead(302, { location: `${state.redirect}${request.url}` }).end();
  if (state.fault !== undefined) return void response.writeHead(state.fault).end();
  if (state.password !== undefined && passwordIn(authorization) !== state.password)
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  const child = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: state.folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin.on('error', () => {}));
  passOn(child.stdout, response);
}

/** The password of a user, or a bearer token. */
function passwordIn(authorization = ''): string {
  const [scheme, text = ''] = authorization.split(' ');
  if (scheme === 'Bearer') return text;
  return Buffer.from(text, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
}

/** The output of a CGI program begins with headers. */
function passOn(output: NodeJS.ReadableStream, response: ServerResponse): void {
  let head: Buffer | undefined = Buffer.alloc(0);
  output.on('data', (piece: Buffer) => {
    if (head === undefined) return void response.write(piece);
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const lines = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = Number(lines.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(lines.filter(([name]) => name !== 'Status')));
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  output.on('end', () => response.end());
}
