/** How a process of the sync gets the root key where people unseal the API: whom it asks, and how it logs in there. */
export interface UnsealSettings {
  /** Scheme and authority of an API. */
  readonly address: URL;
  /** PEM certificates that are trusted instead of those of the system; undefined: those of the system. */
  readonly caFile: string | undefined;
  readonly login: UnsealLogin;
  /** How long the root key is kept while the record of the seal cannot be read, in milliseconds. */
  readonly keepMs: number;
}

/** The files are read for each login, so whoever issues what is in them may replace it. `mount` is the path below `auth/`. */
export type UnsealLogin =
  | { readonly kind: 'orchestrator'; readonly mount: string; readonly role: string; readonly tokenFile: string }
  | { readonly kind: 'approle'; readonly mount: string; readonly roleId: string; readonly secretIdFile: string }
  | { readonly kind: 'token'; readonly tokenFile: string };

/** What the environment says of it. */
export interface GivenUnseal {
  readonly KEYFERRY_UNSEAL_ADDRESS?: URL | undefined;
  readonly KEYFERRY_UNSEAL_CA_FILE?: string | undefined;
  readonly KEYFERRY_UNSEAL_LOGIN?: UnsealLogin['kind'] | undefined;
  readonly KEYFERRY_UNSEAL_MOUNT?: string | undefined;
  readonly KEYFERRY_UNSEAL_ROLE?: string | undefined;
  readonly KEYFERRY_UNSEAL_TOKEN_FILE?: string | undefined;
  readonly KEYFERRY_UNSEAL_SECRET_ID_FILE?: string | undefined;
  readonly KEYFERRY_UNSEAL_KEEP_MS: number;
  readonly KEYFERRY_SERVICE_ACCOUNT_DIR: string;
}

type Name = keyof GivenUnseal;

/** What each way to log in needs, and what it may have beside that. */
const names: Readonly<
  Record<UnsealLogin['kind'], { readonly needs: readonly Name[]; readonly takes: readonly Name[] }>
> = {
  orchestrator: { needs: ['KEYFERRY_UNSEAL_ROLE'], takes: ['KEYFERRY_UNSEAL_MOUNT', 'KEYFERRY_UNSEAL_TOKEN_FILE'] },
  approle: { needs: ['KEYFERRY_UNSEAL_ROLE', 'KEYFERRY_UNSEAL_SECRET_ID_FILE'], takes: ['KEYFERRY_UNSEAL_MOUNT'] },
  token: { needs: ['KEYFERRY_UNSEAL_TOKEN_FILE'], takes: [] },
};
const ofLogins: readonly Name[] = [
  'KEYFERRY_UNSEAL_MOUNT',
  'KEYFERRY_UNSEAL_ROLE',
  'KEYFERRY_UNSEAL_TOKEN_FILE',
  'KEYFERRY_UNSEAL_SECRET_ID_FILE',
];
const ofAddress: readonly Name[] = ['KEYFERRY_UNSEAL_CA_FILE', 'KEYFERRY_UNSEAL_LOGIN', ...ofLogins];

/** Undefined: nobody is asked. A text: what is wrong. */
export function readUnseal(given: GivenUnseal): UnsealSettings | string | undefined {
  const { KEYFERRY_UNSEAL_ADDRESS: address, KEYFERRY_UNSEAL_LOGIN: kind } = given;
  const isSet = (name: Name) => given[name] !== undefined;
  if (address === undefined) {
    const alone = ofAddress.find(isSet);
    return alone === undefined ? undefined : `${alone} needs KEYFERRY_UNSEAL_ADDRESS`;
  }
  if (kind === undefined) return 'KEYFERRY_UNSEAL_ADDRESS needs KEYFERRY_UNSEAL_LOGIN';
  const { needs, takes } = names[kind];
  const missing = needs.find((name) => !isSet(name));
  if (missing !== undefined) return `KEYFERRY_UNSEAL_LOGIN=${kind} needs ${missing}`;
  const foreign = ofLogins.find((name) => isSet(name) && !needs.includes(name) && !takes.includes(name));
  if (foreign !== undefined) return `${foreign} does not go with KEYFERRY_UNSEAL_LOGIN=${kind}`;
  const login = loginOf(kind, given);
  return { address, caFile: given.KEYFERRY_UNSEAL_CA_FILE, login, keepMs: given.KEYFERRY_UNSEAL_KEEP_MS };
}

/** What a kind needs is there by now. */
function loginOf(kind: UnsealLogin['kind'], given: GivenUnseal): UnsealLogin {
  const { KEYFERRY_UNSEAL_MOUNT: mount = kind, KEYFERRY_UNSEAL_ROLE: role = '' } = given;
  const tokenFile = given.KEYFERRY_UNSEAL_TOKEN_FILE ?? `${given.KEYFERRY_SERVICE_ACCOUNT_DIR}/token`;
  if (kind === 'orchestrator') return { kind, mount, role, tokenFile };
  if (kind === 'token') return { kind, tokenFile };
  return { kind, mount, roleId: role, secretIdFile: given.KEYFERRY_UNSEAL_SECRET_ID_FILE ?? '' };
}

/** Reads the address of an API: `https`, or `http` on this machine, without a path. Undefined: it is none. */
export function parseApiAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isBare) return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isSafe ? url : undefined;
}

/** An IPv4 address has its usual form by now. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
