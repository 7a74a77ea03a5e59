import { z } from 'zod';
import { noAddresses, parseAddressList } from './address-list.ts';
import { parseCommand } from './settings/database/command.ts';
import { DatabaseUrlError } from './settings/database/error.ts';
import { parseDatabaseUrl } from './settings/database/parse.ts';
import { parseRedisUrl, redisUrlRule, withRedisFiles } from './settings/redis-url.ts';
import { type KeySettings, readSeal, type SealSettings, sealTypes } from './settings/seal.ts';
import { parseSender, parseSmtpUrl, type Sender, type SmtpServer } from './settings/smtp.ts';
import { parseApiAddress, readUnseal, type UnsealSettings } from './settings/unseal.ts';

/** Every setting, read once at the start. No other file reads the environment. */
export type Config = z.output<typeof settings>;

const whole = (least: number, most: number) => {
  const rule = `must be an integer from ${least} to ${most}`;
  return z.coerce.number(rule).pipe(z.int(rule).min(least, rule).max(most, rule));
};

const wholeNumber = (least: number, most: number, usual: number) => whole(least, most).default(usual);

const portRule = 'must be an integer from 0 to 65535';
const port = z.coerce.number(portRule).pipe(z.int(portRule).min(0, portRule).max(65_535, portRule));

const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

const onOrOff = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on');

const collector = z.url({ protocol: /^https?$/, error: 'must be the http or https address of a collector' });

/** The message names the problem and quotes no secret part of the URL. */
const databaseUrl = z.string().superRefine((text, context) => {
  try {
    parseDatabaseUrl(text);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    context.addIssue(error.message);
  }
});

const command = z.string().transform((text, context) => {
  const words = parseCommand(text);
  if (words !== undefined) return words;
  context.addIssue(
    'must be a program and its arguments separated by spaces, or a JSON array of them; it runs without a shell',
  );
  return z.NEVER;
});

const url = (form: RegExp, rule: string) => z.string().refine((text) => form.test(text) && URL.canParse(text), rule);

const addressesRule = 'must be a JSON object that maps destination types to queue addresses';

const addresses = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue(addressesRule);
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.url({ protocol: /^https?$/, error: addressesRule }), addressesRule));

const baseUrls = z
  .string()
  .transform((text) => text.split(',').flatMap((one) => one.trim() || []))
  .pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be a comma-separated list of http or https addresses' })));

/** Without a path, because links are built from it. */
const publicUrl = url(/^https?:\/\/[^/?#]+\/?$/i, 'must be an http or https address without a path').transform((text) =>
  text.replace(/\/$/, ''),
);

const sealRule = `must be ${sealTypes.slice(0, -1).join(', ')} or ${sealTypes.at(-1)}`;

/** Data sent there opens the store, so plain HTTP is allowed only on this machine. */
const keyServiceUrl = url(
  /^https:\/\/[^/?#@]+\/?$|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/i,
  'must be an https address without a path; plain http is allowed only on this machine',
);

/** With a trailing slash, as in the service. */
const namespacePath = z
  .string()
  .regex(/^\/?\w[\w.-]*(\/\w[\w.-]*)*\/?$/, 'must be the path of a namespace')
  .transform((text) => `${text.replace(/^\/|\/$/g, '')}/`);

const addressList = z.string().transform((text, context) => {
  const list = parseAddressList(text);
  if (list !== undefined) return list;
  context.addIssue('must be a comma-separated list of IP addresses and CIDR blocks');
  return z.NEVER;
});

const smtpUrl = z.string().transform((text, context) => {
  const server = parseSmtpUrl(text);
  if (server !== undefined) return server;
  context.addIssue(
    'must have the form smtp://user:password@host:port or smtps://…, optionally with ?tls=required or ?tls=none',
  );
  return z.NEVER;
});

const apiAddress = z.string().transform((text, context) => {
  const url = parseApiAddress(text);
  if (url !== undefined) return url;
  context.addIssue('must be an https address without a path; http is allowed only on this machine');
  return z.NEVER;
});

/** Relative to `auth/`. */
const mountPath = z.string().regex(/^[\w-]+(\/[\w-]+)*$/, 'must be the path of an auth method below auth/');

const sender = z.string().transform((text, context) => {
  const from = parseSender(text);
  if (from !== undefined) return from;
  context.addIssue('must be an e-mail address, or have the form Name <address>');
  return z.NEVER;
});

/** Names of the environment, and what they mean; docs/configuration.md describes them (infra/generate/settings). Times are in milliseconds unless they say seconds. */
const settings = z.object({
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: z
    .string()
    .refine((text) => parseRedisUrl(text) !== undefined, redisUrlRule)
    .optional(),
  KEYFERRY_REDIS_CA_FILE: z.string().optional(),
  KEYFERRY_REDIS_CERT_FILE: z.string().optional(),
  KEYFERRY_REDIS_KEY_FILE: z.string().optional(),
  KEYFERRY_REDIS_PASSWORD_FILE: z.string().optional(),
  PORT: wholeNumber(0, 65_535, 8200),
  KEYFERRY_HOST: z.string().default('127.0.0.1'),
  KEYFERRY_TLS_CERT_FILE: z.string().optional(),
  KEYFERRY_TLS_KEY_FILE: z.string().optional(),
  AWS_REGION: z.string().optional(),
  KEYFERRY_SEAL: z.enum(sealTypes, sealRule).optional(),
  KEYFERRY_SEAL_KEY: z.string().optional(),
  KEYFERRY_SEAL_KEY_FILE: z.string().optional(),
  KEYFERRY_SEAL_KEY_ID: z.string().optional(),
  KEYFERRY_SEAL_REGION: z.string().optional(),
  KEYFERRY_SEAL_ENDPOINT: keyServiceUrl.optional(),
  KEYFERRY_SEAL_FORMER: z.enum(sealTypes, sealRule).optional(),
  KEYFERRY_SEAL_FORMER_KEY: z.string().optional(),
  KEYFERRY_SEAL_FORMER_KEY_FILE: z.string().optional(),
  KEYFERRY_SEAL_FORMER_KEY_ID: z.string().optional(),
  KEYFERRY_SEAL_FORMER_REGION: z.string().optional(),
  KEYFERRY_SEAL_FORMER_ENDPOINT: keyServiceUrl.optional(),
  KEYFERRY_UNSEAL_ADDRESS: apiAddress.optional(),
  KEYFERRY_UNSEAL_CA_FILE: z.string().optional(),
  KEYFERRY_UNSEAL_LOGIN: z
    .enum(['orchestrator', 'approle', 'token'], 'must be orchestrator, approle or token')
    .optional(),
  KEYFERRY_UNSEAL_MOUNT: mountPath.optional(),
  KEYFERRY_UNSEAL_ROLE: z.string().optional(),
  KEYFERRY_UNSEAL_TOKEN_FILE: z.string().optional(),
  KEYFERRY_UNSEAL_SECRET_ID_FILE: z.string().optional(),
  KEYFERRY_UNSEAL_KEEP_MS: wholeNumber(1_000, 86_400_000, 60_000),
  KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN: yesOrNo.default(false),
  KEYFERRY_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info'),
  KEYFERRY_ACCESS_LOG_LEVEL: z.enum(['debug', 'info'], 'must be debug or info').default('debug'),
  KEYFERRY_REQUIRE_REQUEST_HEADER: yesOrNo.default(false),
  KEYFERRY_UI: onOrOff.default(true),
  KEYFERRY_ADMIN_NAMESPACE: namespacePath.optional(),
  KEYFERRY_METRICS_UNAUTHENTICATED: yesOrNo.default(false),
  KEYFERRY_METRICS_PORT: port.optional(),
  KEYFERRY_METRICS_ADDRESS: z.string().default('127.0.0.1'),
  KEYFERRY_METRICS_DESTINATIONS_MAX: wholeNumber(0, 10_000, 200),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.optional(),
  OTEL_SERVICE_NAME: z.string().default('keyferry'),
  KEYFERRY_BODY_BYTES_MAX: wholeNumber(1_024, 1_073_741_824, 33_554_432),
  KEYFERRY_LARGE_BODIES_BYTES_MAX: whole(1_024, 17_179_869_184).optional(),
  KEYFERRY_REQUEST_MS_MAX: wholeNumber(100, 3_600_000, 90_000),
  KEYFERRY_PUBLIC_URL: publicUrl.optional(),
  KEYFERRY_TRUSTED_PROXIES: addressList.default(noAddresses),
  KEYFERRY_PADDING_MS: wholeNumber(0, 60_000, 45_000),
  KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: wholeNumber(0, 1_000_000, 30),
  KEYFERRY_DATABASE_PASSWORD_FILE: z.string().optional(),
  KEYFERRY_DATABASE_PASSWORD_COMMAND: command.optional(),
  KEYFERRY_DATABASE_REPLICA_URL: databaseUrl.optional(),
  KEYFERRY_DATABASE_REPLICA_LAG_MS_MAX: wholeNumber(100, 600_000, 5_000),
  KEYFERRY_DATABASE_POOL_SIZE: wholeNumber(1, 500, 10),
  KEYFERRY_DATABASE_POOLER: z
    .enum(['auto', 'none', 'session', 'transaction'], 'must be auto, none, session or transaction')
    .default('auto'),
  KEYFERRY_DATABASE_STATEMENT_MS_MAX: wholeNumber(100, 3_600_000, 30_000),
  KEYFERRY_DATABASE_CONNECT_MS_MAX: wholeNumber(100, 600_000, 5_000),
  KEYFERRY_REDIS_PREFIX: z
    .string()
    .regex(/^\{[^{}]+\}$/, 'must be a hash tag such as {keyferry}')
    .default('{keyferry}'),
  KEYFERRY_SYNC_WAIT_MS: wholeNumber(0, 60_000, 5_000),
  KEYFERRY_SYNC_CONCURRENCY: wholeNumber(1, 1_000, 128),
  KEYFERRY_SYNC_SPACING_MS: wholeNumber(0, 60_000, 200),
  KEYFERRY_SYNC_ATTEMPTS_MAX: wholeNumber(1, 100, 6),
  KEYFERRY_SYNC_RETRY_MS_FIRST: wholeNumber(1, 3_600_000, 500),
  KEYFERRY_SYNC_RETRY_MS_MAX: wholeNumber(1, 86_400_000, 60_000),
  KEYFERRY_SYNC_CONNECT_MS_MAX: wholeNumber(10, 600_000, 5_000),
  KEYFERRY_SYNC_REQUEST_MS_MAX: wholeNumber(10, 600_000, 10_000),
  KEYFERRY_SYNC_OPERATION_MS_MAX: wholeNumber(100, 600_000, 17_000),
  KEYFERRY_SYNC_LOCK_MS: wholeNumber(500, 600_000, 30_000),
  KEYFERRY_ASSESSMENT_HOURS: wholeNumber(1, 8_760, 24),
  KEYFERRY_AUDIT_TRAIL_DAYS: wholeNumber(0, 3_650, 14),
  KEYFERRY_RUNS_PER_ORGANIZATION_MAX: wholeNumber(1, 10_000, 50),
  KEYFERRY_RUN_SYNC_WAIT_MS: wholeNumber(0, 3_600_000, 30_000),
  KEYFERRY_RUN_LOG_DAYS: wholeNumber(0, 3_650, 90),
  KEYFERRY_AUDIT_DIR: z.string().optional(),
  KEYFERRY_CREDENTIALS_DIR: z.string().optional(),
  KEYFERRY_CREDENTIALS_ENDPOINTS: baseUrls.default([]),
  KEYFERRY_AUTH_REQUEST_MS_MAX: wholeNumber(10, 600_000, 10_000),
  KEYFERRY_SERVICE_ACCOUNT_DIR: z.string().default('/var/run/secrets/kubernetes.io/serviceaccount'),
  KEYFERRY_NETWORK_ALLOWED: z.string().optional(),
  KEYFERRY_SMTP_URL: smtpUrl.optional(),
  KEYFERRY_SMTP_FROM: sender.optional(),
  KEYFERRY_GIT: z.string().min(1).default('git'),
  KEYFERRY_GIT_CA_FILE: z.string().optional(),
  KEYFERRY_GIT_KNOWN_HOSTS_FILE: z.string().optional(),
  KEYFERRY_OPA: z.string().min(1).optional(),
  KEYFERRY_SYNC_RECHECK_MS: wholeNumber(100, 86_400_000, 60_000),
  KEYFERRY_SYNC_DRIFT_EVERY_MS: wholeNumber(0, 2_592_000_000, 21_600_000),
  KEYFERRY_SWEEP_MS: wholeNumber(50, 3_600_000, 2_000),
  KEYFERRY_DOORBELL_SQS: addresses.optional(),
  KEYFERRY_LOCKOUT_THRESHOLD: wholeNumber(0, 1_000_000, 5),
  KEYFERRY_LOCKOUT_SECONDS: wholeNumber(1, 2_147_483_647, 900),
  KEYFERRY_LOCKOUT_RESET_SECONDS: wholeNumber(1, 2_147_483_647, 900),
  KEYFERRY_AGENT_ADDRESS: apiAddress.optional(),
  KEYFERRY_AGENT_TOKEN: z.string().min(1).optional(),
  KEYFERRY_AGENT_TOKEN_FILE: z.string().optional(),
  KEYFERRY_AGENT_NAME: z.string().min(1).max(255).optional(),
  KEYFERRY_AGENT_ENGINES: z.string().optional(),
  KEYFERRY_AGENT_ENGINE: z.enum(['terraform', 'tofu'], 'must be terraform or tofu').default('terraform'),
  KEYFERRY_AGENT_DIR: z.string().optional(),
  KEYFERRY_AGENT_HEALTH_FILE: z.string().min(1).optional(),
  KEYFERRY_AGENT_USER: z
    .string()
    .regex(/^\d{1,9}:\d{1,9}$/, 'must be the numbers of a user and a group, as in 1000:1000')
    .optional(),
  KEYFERRY_AGENT_ISOLATION: z.enum(['auto', 'required', 'none'], 'must be auto, required or none').default('auto'),
  KEYFERRY_AGENT_NETWORK: z.enum(['guarded', 'open'], 'must be guarded or open').default('guarded'),
  KEYFERRY_AGENT_NETWORK_ALLOWED: z.string().optional(),
  KEYFERRY_AGENT_RUN_MS_MAX: wholeNumber(1_000, 86_400_000, 7_200_000),
  KEYFERRY_AGENT_GRACE_MS: wholeNumber(100, 3_600_000, 60_000),
  KEYFERRY_AGENT_DISK_BYTES_MAX: wholeNumber(1_048_576, 1_099_511_627_776, 4_294_967_296),
  KEYFERRY_AGENT_MEMORY_BYTES_MAX: wholeNumber(67_108_864, 1_099_511_627_776, 4_294_967_296),
  KEYFERRY_AGENT_PROCESSES_MAX: wholeNumber(64, 1_000_000, 4_096),
  KEYFERRY_SHUTDOWN_MS_MAX: wholeNumber(0, 600_000, 10_000),
  KEYFERRY_DATA_DIR: z.string().default('.data'),
  KEYFERRY_POSTGRES_DIR: z.string().optional(),
  KEYFERRY_DEV_ROOT_TOKEN: z.string().optional(),
  KEYFERRY_DEV_AGENT: onOrOff.default(true),
});

/** For what has to offer every setting, such as the chart. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** Tenths of an operation's lock that its calls may take; the rest allows for late timers and clock differences. */
const lockTenths = 9;

/** Checks that every call ends before another worker may take over its operation. */
function checkTimes(config: Config): void {
  const { KEYFERRY_SYNC_LOCK_MS: lockMs } = config;
  const callsMs = config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX;
  const callsMsMax = Math.floor((lockMs * lockTenths) / 10);
  if (callsMs <= callsMsMax) return;
  throw new ConfigError(
    `KEYFERRY_SYNC_OPERATION_MS_MAX + KEYFERRY_SYNC_REQUEST_MS_MAX (${callsMs}) may be at most 0.${lockTenths} of ` +
      `KEYFERRY_SYNC_LOCK_MS (${lockMs}), which is ${callsMsMax}: calls end before another worker may take over`,
  );
}

/** Bytes for the large bodies of all requests together; by default the size of one body of maximum size. */
export const largeBodiesBytesMax = (config: Config): number =>
  config.KEYFERRY_LARGE_BODIES_BYTES_MAX ?? config.KEYFERRY_BODY_BYTES_MAX;

function checkBodies(config: Config): void {
  if (largeBodiesBytesMax(config) >= config.KEYFERRY_BODY_BYTES_MAX) return;
  throw new ConfigError('KEYFERRY_LARGE_BODIES_BYTES_MAX must be at least KEYFERRY_BODY_BYTES_MAX');
}

function checkPassword(config: Config): void {
  const { KEYFERRY_DATABASE_PASSWORD_FILE: file, KEYFERRY_DATABASE_PASSWORD_COMMAND: program } = config;
  if (file === undefined || program === undefined) return;
  throw new ConfigError(
    'KEYFERRY_DATABASE_PASSWORD_FILE and KEYFERRY_DATABASE_PASSWORD_COMMAND are both set: set one of them',
  );
}

/** The mail server and the sender address; undefined when no mail is sent. @throws ConfigError when only one is set */
export function smtpOf(config: Config): { readonly server: SmtpServer; readonly from: Sender } | undefined {
  const { KEYFERRY_SMTP_URL: server, KEYFERRY_SMTP_FROM: from } = config;
  if (server === undefined && from === undefined) return undefined;
  if (server === undefined || from === undefined)
    throw new ConfigError('KEYFERRY_SMTP_URL and KEYFERRY_SMTP_FROM must be set together');
  return { server, from };
}

/** The environment for child processes, without Keyferry's settings, some of which are secrets. */
export const otherEnvironment = (environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:KEYFERRY_|DATABASE_URL$|REDIS_URL$)/.test(name)),
  );

/** How workers and the sweep borrow the root key from an API unsealed by operators; undefined when they do not. @throws ConfigError for conflicting settings */
export function unsealOf(config: Config): UnsealSettings | undefined {
  const read = readUnseal(config);
  if (typeof read === 'string') throw new ConfigError(read);
  return read;
}

/** The URL contains everything about Redis, so it is passed on as it is. */
function redisUrlOf(config: Config): string | undefined {
  const { REDIS_URL: url, KEYFERRY_REDIS_CA_FILE: ca, KEYFERRY_REDIS_CERT_FILE: cert } = config;
  const files = { ca, cert, key: config.KEYFERRY_REDIS_KEY_FILE, password: config.KEYFERRY_REDIS_PASSWORD_FILE };
  if (url === undefined) return undefined;
  const whole = withRedisFiles(url, files);
  if (whole !== undefined) return whole;
  throw new ConfigError(
    'KEYFERRY_REDIS_CA_FILE, KEYFERRY_REDIS_CERT_FILE and KEYFERRY_REDIS_KEY_FILE need a REDIS_URL of the form rediss://…, and ' +
      'the last two must be set together',
  );
}

/** The seal, and the former seal that the store may have until its migration. @throws ConfigError for conflicting settings */
export function sealOf(config: Config): { readonly seal: SealSettings; readonly former: KeySettings | undefined } {
  const seal = readSeal('KEYFERRY_SEAL', {
    type: config.KEYFERRY_SEAL,
    key: config.KEYFERRY_SEAL_KEY,
    keyFile: config.KEYFERRY_SEAL_KEY_FILE,
    keyId: config.KEYFERRY_SEAL_KEY_ID,
    region: config.KEYFERRY_SEAL_REGION,
    endpoint: config.KEYFERRY_SEAL_ENDPOINT,
  });
  const former = readSeal('KEYFERRY_SEAL_FORMER', {
    type: config.KEYFERRY_SEAL_FORMER,
    key: config.KEYFERRY_SEAL_FORMER_KEY,
    keyFile: config.KEYFERRY_SEAL_FORMER_KEY_FILE,
    keyId: config.KEYFERRY_SEAL_FORMER_KEY_ID,
    region: config.KEYFERRY_SEAL_FORMER_REGION,
    endpoint: config.KEYFERRY_SEAL_FORMER_ENDPOINT,
  });
  const problem = [seal, former].find((one) => typeof one === 'string');
  if (problem !== undefined || typeof seal === 'string' || typeof former === 'string') throw new ConfigError(problem);
  // Key shares need no settings.
  return { seal, former: former.type === 'shamir' ? undefined : former };
}

/** The message names every invalid setting, but never its value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @throws ConfigError */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable counts as unset, because container files omit a variable that way.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; '));
  }
  checkTimes(parsed.data);
  checkBodies(parsed.data);
  checkPassword(parsed.data);
  smtpOf(parsed.data);
  sealOf(parsed.data);
  unsealOf(parsed.data);
  return { ...parsed.data, REDIS_URL: redisUrlOf(parsed.data) };
}
