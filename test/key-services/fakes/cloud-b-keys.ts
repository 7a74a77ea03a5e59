import {
  constants,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { openKeyService } from '#key-services/cloud-b-keys/index.ts';
import type { FakeKeyService } from './fake.ts';
import { type Fault, type Reply, startFake } from './server.ts';

const vault = 'https://vault-one.vault.azure.net';
const oaep = (key: KeyObject) => ({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' });
/** Generating keys is slow, so all stand-ins share the same ones. */
const pairs = Array.from({ length: 3 }, () => generateKeyPairSync('rsa', { modulusLength: 2048 }));

/** A vault whose keys have versions. By default the newest one wraps, and only the version that wrapped a key unwraps it. */
export async function fakeCloudBKeys(): Promise<FakeKeyService> {
  const versions = new Map([
    ['one', [randomBytes(16).toString('hex')]],
    ['two', [randomBytes(16).toString('hex')]],
  ]);
  const pairOf = (name: string, version: string) =>
    pairs[name === 'two' ? 2 : (versions.get(name)?.indexOf(version) ?? -1)];
  const server = await startFake(({ path, headers, body, fault }) => {
    if (headers.authorization !== 'Bearer of-the-test') return error(401, 'Unauthorized');
    const refused = fault === undefined ? undefined : refusals[fault];
    if (refused !== undefined) return refused;
    const [, name = '', given, verb] =
      /^\/keys\/([^/]+)\/(?:([0-9a-f]{32})\/)?(wrapkey|unwrapkey)\?api-version=7\.4$/.exec(path) ?? [];
    const version = given ?? versions.get(name)?.at(-1) ?? '';
    const pair = pairOf(name, version);
    if (pair === undefined) return error(404, 'KeyNotFound');
    if (body['alg'] !== 'RSA-OAEP-256') return error(400, 'BadParameter');
    const kid = `${vault}/keys/${name}/${version}`;
    const value = Buffer.from(String(body['value']), 'base64url');
    if (verb === 'wrapkey' && fault === 'echo') return { status: 200, body: { kid, value: body['value'] } };
    const done =
      verb === 'wrapkey' ? publicEncrypt(oaep(pair.publicKey), value) : unwrapped(pair.privateKey, value, fault);
    return done === undefined
      ? error(400, 'BadParameter')
      : { status: 200, body: { kid, value: done.toString('base64url') } };
  });
  const token = async () => 'of-the-test';
  const open = (name: string) =>
    openKeyService({ keyId: `${vault}/keys/${name}`, region: undefined, endpoint: server.url }, token);
  return {
    server,
    service: open('one'),
    other: open('two'),
    rotate: () => void versions.get('one')?.push(randomBytes(16).toString('hex')),
  };
}

function unwrapped(key: KeyObject, value: Buffer, fault: Fault | undefined): Buffer | undefined {
  try {
    const opened = privateDecrypt(oaep(key), value);
    return fault === 'foreign' ? randomBytes(32) : fault === 'short' ? opened.subarray(16) : opened;
  } catch {
    return undefined;
  }
}

const error = (status: number, code: string, inner?: string): Reply => ({
  status,
  body: {
    error: { code, message: 'as the service says it', ...(inner === undefined ? {} : { innererror: { code: inner } }) },
  },
});

const refusals: Partial<Record<Fault, Reply>> = {
  denied: error(403, 'Forbidden', 'ForbiddenByRbac'),
  credentials: error(401, 'Unauthorized'),
  disabled: error(403, 'Forbidden', 'KeyDisabled'),
  missing: error(404, 'KeyNotFound'),
  busy: error(429, 'Throttled'),
};
