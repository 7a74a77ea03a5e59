/** How a sync process borrows the root key from an API unsealed by operators: the address to ask, and how to log in there. */
export interface UnsealSettings {
  /** Scheme and authority of the API. */
  readonly address: URL;
  /** PEM certificates to trust instead of the system's; undefined for the system's. */
  readonly caFile: string | undefined;
  readonly login: UnsealLogin;
  /** How long to keep the root key while the seal's record cannot be read, in milliseconds. */
  readonly keepMs: number;
}

/** The files are read for each login, so that their issuer may replace them. `mount` is the path below `auth/`. */
export type UnsealLogin =
  | { readonly kind: 'orchestrator'; readonly mount: string; readonly role: string; readonly tokenFile: string }
  | { readonly kind: 'approle'; readonly mount: string; readonly roleId: string; readonly secretIdFile: string }
  | { readonly kind: 'token'; readonly tokenFile: string };

/** The settings in the environment. */
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

/** The required and optional settings of each login method. */
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

/** Undefined when the process does not borrow the key. Returns a string that describes a problem. */
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

/** The required settings are present at this point. */
function loginOf(kind: UnsealLogin['kind'], given: GivenUnseal): UnsealLogin {
  const { KEYFERRY_UNSEAL_MOUNT: mount = kind, KEYFERRY_UNSEAL_ROLE: role = '' } = given;
  const tokenFile = given.KEYFERRY_UNSEAL_TOKEN_FILE ?? `${given.KEYFERRY_SERVICE_ACCOUNT_DIR}/token`;
  if (kind === 'orchestrator') return { kind, mount, role, tokenFile };
  if (kind === 'token') return { kind, tokenFile };
  return { kind, mount, roleId: role, secretIdFile: given.KEYFERRY_UNSEAL_SECRET_ID_FILE ?? '' };
}

/** Parses the address of an API: `https`, or `http` on this machine, without a path. Undefined for anything else. */
export function parseApiAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isBare) return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isSafe ? url : undefined;
}

/** URL parsing has normalized IPv4 addresses at this point. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
