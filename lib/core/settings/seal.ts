import { Secret } from '../secret.ts';

/** The type of seal and the settings that open it. */
export type SealSettings = { readonly type: 'shamir' } | KeySettings;

/** A seal that opens without operators. */
export type KeySettings = StaticSettings | ServiceSettings;

type StaticSettings = { readonly type: 'static' } & ({ readonly key: Secret } | { readonly keyFile: string });

interface ServiceSettings {
  readonly type: (typeof keyServices)[number];
  readonly keyId: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
}

export const keyServices = ['cloud-a-kms', 'cloud-b-keys', 'cloud-c-kms'] as const;
export const sealTypes = ['shamir', 'static', ...keyServices] as const;

/** The values of the settings with one prefix. */
export interface GivenSeal {
  readonly type: (typeof sealTypes)[number] | undefined;
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyId: string | undefined;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
}

const names = {
  key: '_KEY',
  keyFile: '_KEY_FILE',
  keyId: '_KEY_ID',
  region: '_REGION',
  endpoint: '_ENDPOINT',
} as const;
type Part = keyof typeof names;

const partsOf = {
  shamir: [],
  static: ['key', 'keyFile'],
  'cloud-a-kms': ['keyId', 'region', 'endpoint'],
  'cloud-b-keys': ['keyId', 'endpoint'],
  'cloud-c-kms': ['keyId', 'endpoint'],
} as const satisfies Record<(typeof sealTypes)[number], readonly Part[]>;

/** Without a type, a key selects the static seal, and no settings select key shares. Returns a string that describes a problem. */
export function readSeal(prefix: string, given: GivenSeal): SealSettings | string {
  const hasKey = given.key !== undefined || given.keyFile !== undefined;
  const type = given.type ?? (hasKey ? 'static' : 'shamir');
  const foreign = (Object.keys(names) as Part[]).find(
    (part) => given[part] !== undefined && !(partsOf[type] as readonly Part[]).includes(part),
  );
  if (foreign !== undefined) return `${prefix}${names[foreign]} does not go with ${describe(prefix, given.type, type)}`;
  if (type === 'shamir') return { type };
  if (type !== 'static') {
    const { keyId, region, endpoint } = given;
    return keyId === undefined ? `${prefix}=${type} needs ${prefix}_KEY_ID` : { type, keyId, region, endpoint };
  }
  const { key, keyFile } = given;
  if (key !== undefined && keyFile !== undefined) return `${prefix}_KEY and ${prefix}_KEY_FILE exclude each other`;
  if (key !== undefined) return { type, key: new Secret(key) };
  return keyFile === undefined ? `${prefix}=static needs ${prefix}_KEY or ${prefix}_KEY_FILE` : { type, keyFile };
}

const describe = (prefix: string, given: string | undefined, type: string): string =>
  given === undefined
    ? type === 'shamir'
      ? `key shares: set ${prefix} to the seal that it is for`
      : `${prefix}_KEY: set one of them`
    : `${prefix}=${given}`;
