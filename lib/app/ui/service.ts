import type { Service } from '#http/server/parts.ts';
import { header, type Incoming, type Outgoing } from '#http/wire/exchange.ts';
import { type PageFile, type PageFiles, pageName } from './files.ts';
import { pageHeaders } from './headers.ts';

const prefix = '/ui/';

/** The web page: static files below `/ui/`, to which a browser that opens `/` is sent. */
export function pageService(files: PageFiles, refuse: Service['refuse']): Service {
  return {
    urls: ['/', '/ui', `${prefix}*`],
    owns: (url) => url.startsWith(prefix),
    pipeline: async (incoming) => answer(files, incoming),
    refuse,
  };
}

function answer(files: PageFiles, incoming: Incoming): Outgoing {
  const path = incoming.url.split('?', 1)[0] ?? '';
  incoming.onRoute?.(path.startsWith(prefix) ? 'ui/' : path, path.startsWith(prefix) ? prefix : path);
  if (path === '/' && !wantsPage(incoming)) return nothing;
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return onlyReads;
  if (!path.startsWith(prefix)) return { status: 303, headers: { ...pageHeaders, location: prefix }, body: undefined };
  const name = path.slice(prefix.length);
  const file = files.get(isFile(name) ? name : pageName);
  if (file !== undefined) return send(file, incoming);
  return files.size === 0 ? notBuilt : nothing;
}

/** The files have no folders: what is below one is the address of a page, also with a dot in a name. */
const isFile = (name: string): boolean => name.includes('.') && (!name.includes('/') || dots.test(name));

const dots = /(?:^|\/)\.{1,2}(?:\/|$)/;

const wantsPage = ({ headers }: Incoming): boolean => /\btext\/html\b/.test(header(headers, 'accept') ?? '');

function send(file: PageFile, { headers }: Incoming): Outgoing {
  const lasting = file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache';
  const common = { ...pageHeaders, etag: file.etag, 'cache-control': lasting, vary: 'Accept-Encoding' };
  if (header(headers, 'if-none-match') === file.etag) return { status: 304, headers: common, body: undefined };
  const [encoding, body] = encoded(file, header(headers, 'accept-encoding') ?? '');
  const how = encoding === undefined ? common : { ...common, 'content-encoding': encoding };
  return { status: 200, headers: how, contentType: file.type, body: [body] };
}

/** The shortest form that the browser takes. A quality of 0 refuses a form. */
function encoded({ br, gzip, plain }: PageFile, accepted: string): readonly [string | undefined, Buffer] {
  const takes = (name: string) =>
    new RegExp(`(?:^|[,\\s])${name}(?!\\s*;\\s*q=0(?:\\.0*)?(?:[,\\s]|$))(?:[;,\\s]|$)`, 'i').test(accepted);
  if (br !== undefined && takes('br')) return ['br', br];
  if (gzip !== undefined && takes('gzip')) return ['gzip', gzip];
  return [undefined, plain];
}

const nothing: Outgoing = { status: 404, body: JSON.stringify({ errors: [] }) };
const onlyReads: Outgoing = { status: 405, headers: { allow: 'GET, HEAD' }, body: JSON.stringify({ errors: [] }) };
const notBuilt: Outgoing = {
  status: 404,
  body: JSON.stringify({
    errors: ['the web page is not built: run "node infra/ui/build.ts", or start with "npm run serve"'],
  }),
};
