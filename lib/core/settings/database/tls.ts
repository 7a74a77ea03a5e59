import { Secret } from '../../secret.ts';
import type { DatabaseTls, TlsMode } from './address.ts';
import { DatabaseUrlError } from './error.ts';
import type { Parameters } from './parameters.ts';

/** The modes of libpq, and `no-verify` of `pg`. */
const modes = ['disable', 'allow', 'prefer', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * `require` verifies as `verify-full` does. It has had this meaning since the first release, and libpq's meaning would remove a
 * check that installations rely on.
 */
const meanings: Readonly<Record<(typeof modes)[number], TlsMode>> = {
  disable: 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  'no-verify': 'no-verify',
  require: 'verify-full',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
};

const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

/** @throws DatabaseUrlError for contradictory parameters, and for a requested check that would not be made */
export function tlsOf(parameters: Parameters): DatabaseTls {
  const files = {
    rootCertificateFile: parameters.take('sslrootcert') || undefined,
    certificateFile: parameters.take('sslcert') || undefined,
    keyFile: parameters.take('sslkey') || undefined,
  };
  const keyPassword = parameters.take('sslpassword');
  const version = parameters.oneOf('ssl_min_protocol_version', versions);
  const direct = parameters.oneOf('sslnegotiation', ['postgres', 'direct']) === 'direct';
  const mode = modeOf(parameters, direct || Object.values(files).some((file) => file !== undefined));
  if ((files.certificateFile === undefined) !== (files.keyFile === undefined)) {
    throw new DatabaseUrlError('has only one of sslcert and sslkey: set both');
  }
  if (direct && (mode === 'disable' || mode === 'prefer')) {
    throw new DatabaseUrlError('has sslnegotiation=direct, which needs sslmode=verify-full, verify-ca or no-verify');
  }
  if (files.rootCertificateFile === undefined && mode === 'verify-ca') {
    throw new DatabaseUrlError(
      'has sslmode=verify-ca, which needs sslrootcert: anyone can get a certificate from a public CA',
    );
  }
  return {
    mode,
    ...files,
    direct,
    keyPassword: keyPassword ? new Secret(keyPassword) : undefined,
    minVersion: version === 'TLSv1.3' || version === 'TLSv1.2' ? version : undefined,
  };
}

/** Files without a mode enable every check they allow. Without files and mode there is no TLS. */
function modeOf(parameters: Parameters, wanted: boolean): TlsMode {
  const mode = parameters.oneOf('sslmode', modes);
  const ssl = parameters.oneOf('ssl', ['true', '1', 'false', '0', 'no-verify']);
  if (mode !== undefined) return meanings[mode];
  if (ssl === 'no-verify') return 'no-verify';
  if (ssl === 'false' || ssl === '0') return 'disable';
  return wanted || ssl !== undefined ? 'verify-full' : 'disable';
}
