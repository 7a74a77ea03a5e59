import { apiAndSweep, borrowers, database, type Setting, service } from './setting.ts';

export const storeSettings = {
  DATABASE_URL: {
    readers: database,
    meaning:
      'PostgreSQL 15 or later, one host or several: [how it is read](operating/database.md#the-database). The first process that starts brings the schema up to date. Required, except by the development server',
  },
  KEYFERRY_DATABASE_PASSWORD_FILE: {
    readers: database,
    meaning:
      'File with the database password, read for each new connection ([short-lived passwords](operating/database.md#short-lived-passwords)). Takes precedence over the password in the URL',
  },
  KEYFERRY_DATABASE_PASSWORD_COMMAND: {
    readers: database,
    meaning: 'Program that prints the database password. Excludes `KEYFERRY_DATABASE_PASSWORD_FILE`',
  },
  KEYFERRY_DATABASE_POOL_SIZE: {
    readers: service,
    meaning: 'Connections of a process to PostgreSQL; a function opens two at most',
  },
  KEYFERRY_DATABASE_CONNECT_MS_MAX: { readers: service, meaning: 'Limit for opening a connection, over all hosts' },
  KEYFERRY_DATABASE_STATEMENT_MS_MAX: { readers: service, meaning: 'Limit for one statement' },
  KEYFERRY_DATABASE_POOLER: {
    readers: service,
    meaning:
      'What is between the processes and PostgreSQL: `none`, or a [pooler](operating/database.md#postgresql-behind-a-pooler) in mode `session` or `transaction`. `auto` detects it',
  },
  KEYFERRY_DATABASE_REPLICA_URL: {
    readers: apiAndSweep,
    meaning: 'Streaming standby for [reads that may be old](operating/database.md#a-replica-for-reads)',
  },
  KEYFERRY_DATABASE_REPLICA_LAG_MS_MAX: { readers: apiAndSweep, meaning: 'Maximum age of answers from the replica' },
  REDIS_URL: {
    readers: service,
    meaning:
      'Redis 7 or 8, or Valkey, with append-only file and `maxmemory-policy noeviction`: one server, nodes of a cluster, or sentinels ([forms](operating/redis.md#redis)). Required, except by the development server',
  },
  KEYFERRY_REDIS_CA_FILE: {
    readers: service,
    meaning:
      'Certificate authorities of Redis ([TLS](operating/redis.md#tls-users-and-passwords-of-redis)). This file and the next three are read for each new connection',
  },
  KEYFERRY_REDIS_CERT_FILE: { readers: service, meaning: 'Client certificate for Redis' },
  KEYFERRY_REDIS_KEY_FILE: { readers: service, meaning: 'Key of that certificate' },
  KEYFERRY_REDIS_PASSWORD_FILE: { readers: service, meaning: 'Password for Redis' },
  KEYFERRY_REDIS_PREFIX: {
    readers: service,
    meaning:
      'Prefix of all keys in Redis, a hash tag: all keys are [on one node of a cluster](operating/scaling.md#redis)',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export const sealSettings = {
  KEYFERRY_SEAL: {
    readers: service,
    default: '`static` with a seal key, otherwise `shamir`',
    meaning:
      '[Type of the seal](operating/seal.md): `shamir` (key shares), `static`, `cloud-a-kms` (AWS KMS), `cloud-b-keys` (Azure Key Vault) or `cloud-c-kms` (Google Cloud KMS)',
  },
  KEYFERRY_SEAL_KEY: { readers: service, meaning: 'Key of the static seal: 32 bytes in hex or base64' },
  KEYFERRY_SEAL_KEY_FILE: { readers: service, meaning: 'File with that key: hex, base64, or the 32 bytes' },
  KEYFERRY_SEAL_KEY_ID: { readers: service, meaning: 'The key in the key service' },
  KEYFERRY_SEAL_REGION: {
    readers: service,
    default: '`AWS_REGION`',
    meaning: 'Region of the key (`cloud-a-kms`)',
  },
  KEYFERRY_SEAL_ENDPOINT: { readers: service, meaning: "Address of the key service instead of the provider's own" },
  AWS_REGION: {
    readers: service,
    meaning: 'Region of a `cloud-a-kms` key whose settings name none. The platform of the functions sets it',
  },
  ...formerSeal(),
  KEYFERRY_UNSEAL_ADDRESS: {
    readers: borrowers,
    meaning:
      'With key shares: the API that [lends the root key](operating/first-start.md#with-key-shares), an `https` address without a path (`http` only on the same machine). The API ignores this and the other `KEYFERRY_UNSEAL_…` settings',
  },
  KEYFERRY_UNSEAL_CA_FILE: {
    readers: borrowers,
    meaning: 'Certificates that are trusted for that address instead of those of the system',
  },
  KEYFERRY_UNSEAL_LOGIN: { readers: borrowers, meaning: 'How to log in there: `orchestrator`, `approle` or `token`' },
  KEYFERRY_UNSEAL_MOUNT: {
    readers: borrowers,
    default: 'the name of the method',
    meaning: 'Path of the auth method below `auth/`',
  },
  KEYFERRY_UNSEAL_ROLE: { readers: borrowers, meaning: 'Role of the login; for `approle` the role id' },
  KEYFERRY_UNSEAL_TOKEN_FILE: {
    readers: borrowers,
    default: '`token` in `KEYFERRY_SERVICE_ACCOUNT_DIR`',
    meaning:
      'File with the token of the service account (`orchestrator`) or with a token of this service (`token`), read for each login',
  },
  KEYFERRY_UNSEAL_SECRET_ID_FILE: {
    readers: borrowers,
    meaning: 'File with the secret id (`approle`), read for each login',
  },
  KEYFERRY_UNSEAL_KEEP_MS: {
    readers: borrowers,
    meaning: 'How long a process keeps the lent root key while it cannot ask the database whether the store was sealed',
  },
} as const satisfies Readonly<Record<string, Setting>>;

function formerSeal() {
  const setting = (meaning: string): Setting => ({ readers: service, meaning });
  return {
    KEYFERRY_SEAL_FORMER: setting(
      'Type of the seal that the store may still have [while the seal is changed](operating/seal.md#changing-the-seal)',
    ),
    KEYFERRY_SEAL_FORMER_KEY: setting('Its key'),
    KEYFERRY_SEAL_FORMER_KEY_FILE: setting('File with its key'),
    KEYFERRY_SEAL_FORMER_KEY_ID: setting('Its key in the key service'),
    KEYFERRY_SEAL_FORMER_REGION: setting('Region of that key'),
    KEYFERRY_SEAL_FORMER_ENDPOINT: setting('Address of its key service'),
  };
}
