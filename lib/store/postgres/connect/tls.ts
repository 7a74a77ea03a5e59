import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import type { DatabaseTls } from '#core/settings/database/address.ts';
import { ConnectRefusal } from '../refusal.ts';

/**
 * The TLS options of a connection. The files are read for each connection, so that renewed ones are used without a restart.
 *
 * @throws ConnectRefusal for a file that cannot be read
 */
export async function tlsOptions(tls: DatabaseTls): Promise<ConnectionOptions> {
  const [ca, cert, key] = await Promise.all([
    authorities(tls.rootCertificateFile),
    contentOf('sslcert', tls.certificateFile),
    contentOf('sslkey', tls.keyFile),
  ]);
  const verified = tls.mode === 'verify-ca' || tls.mode === 'verify-full';
  return {
    rejectUnauthorized: verified,
    // verify-ca accepts any certificate that the authority has signed, whatever its host name.
    ...(tls.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(tls.minVersion === undefined ? {} : { minVersion: tls.minVersion }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tls.keyPassword === undefined ? {} : { passphrase: tls.keyPassword.reveal() }),
  };
}

async function authorities(file: string | undefined): Promise<string | string[] | undefined> {
  return file === 'system' ? getCACertificates('system') : contentOf('sslrootcert', file);
}

async function contentOf(name: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it is not text';
    throw new ConnectRefusal(`the file that ${name} names cannot be read (${code})`, { cause });
  });
}
