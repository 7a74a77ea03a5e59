import { api, apiAndSweep, apiAndWorker, callers, listener, type Setting, service } from './setting.ts';

export const apiSettings = {
  PORT: { readers: ['API', 'development server'], meaning: 'Port on which the API listens' },
  KEYFERRY_HOST: {
    readers: ['API', 'development server'],
    meaning: 'Address on which the API listens',
  },
  KEYFERRY_TLS_CERT_FILE: { readers: listener, meaning: 'Certificate of the listener' },
  KEYFERRY_TLS_KEY_FILE: { readers: listener, meaning: 'Key of that certificate' },
  KEYFERRY_PUBLIC_URL: {
    readers: api,
    default: "the request's `Host`",
    meaning:
      'Scheme and authority by which clients know the service; the workspace service makes links of it, and [identity tokens](access/identity-tokens.md) their issuer',
  },
  KEYFERRY_TRUSTED_PROXIES: {
    readers: api,
    meaning:
      "Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted, separated by commas. Rate limits, bound CIDRs and audit then use the last address in it that is not a trusted proxy's",
  },
  KEYFERRY_REQUIRE_REQUEST_HEADER: {
    readers: api,
    meaning:
      '`true`: requests without `X-Service-Request: true` or `X-Vault-Request: true` are refused (412), which stops forged requests. Reads of `sys/health` and `sys/metrics` are exempt',
  },
  KEYFERRY_UI: {
    readers: api,
    default: '`on`',
    meaning: '`off`: no [web page](guides/web-page.md) at `/ui/`, and no session in a cookie',
  },
  KEYFERRY_BODY_BYTES_MAX: {
    readers: apiAndWorker,
    meaning:
      'Largest body of a request; files of the workspace service have [their own limits](workspaces/states-and-runs.md#files)',
  },
  KEYFERRY_LARGE_BODIES_BYTES_MAX: {
    readers: api,
    default: '`KEYFERRY_BODY_BYTES_MAX`',
    meaning:
      'Memory for all bodies and stored secrets over 64 KB of concurrent requests, which one stored secret at a time may exceed. Beyond it requests get 503 with `Retry-After`',
  },
  KEYFERRY_REQUEST_MS_MAX: {
    readers: ['API', 'functions'],
    meaning: 'Limit for receiving a request, and again for answering it',
  },
  KEYFERRY_PADDING_MS: {
    readers: listener,
    meaning:
      'How often an agent that [waits](workspaces/agents.md#how-an-agent-waits) gets a byte of white space, so that proxies leave its connection open; 0: agents ask every minute',
  },
  KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: {
    readers: api,
    meaning: 'Requests of the workspace service per second, per caller and process; 0: no limit',
  },
  KEYFERRY_ADMIN_NAMESPACE: {
    readers: api,
    meaning: 'Path of the [namespace](access/namespaces.md) that may use `sys/sync/config` as the root namespace does',
  },
  KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN: {
    readers: api,
    meaning: '`true`: `sys/rekey` and `sys/generate-root` need a token with `sudo` in addition to the key shares',
  },
  KEYFERRY_LOCKOUT_THRESHOLD: {
    readers: api,
    meaning:
      'After this many consecutive failed logins a user is [locked out](access/auth-methods.md#user-lockout); 0: never. `user_lockout_config` of a mount takes precedence',
  },
  KEYFERRY_LOCKOUT_SECONDS: { readers: api, meaning: 'How long a user is locked out' },
  KEYFERRY_LOCKOUT_RESET_SECONDS: {
    readers: api,
    meaning: 'After this time without a failed login the count starts again',
  },
  KEYFERRY_AUTH_REQUEST_MS_MAX: {
    readers: api,
    meaning: 'Limit for one call of an auth method to another system (token review, key set)',
  },
  KEYFERRY_SERVICE_ACCOUNT_DIR: {
    readers: service,
    meaning: "Folder with `token` and `ca.crt` of the process's own service account",
  },
  KEYFERRY_NETWORK_ALLOWED: {
    readers: callers,
    default: '`none`; development server: `all`',
    meaning:
      'Upper bound of what destinations and auth methods may open in the [networking guard](security.md#networking-guard): `none`, `all`, or CIDR blocks, ports and port ranges separated by commas, such as `10.20.0.0/16,8443,9000-9010`. Set the same everywhere',
  },
  KEYFERRY_AUDIT_DIR: {
    readers: api,
    default: 'any folder',
    meaning: 'Folder in which the files of [audit devices](audit.md) must be',
  },
  KEYFERRY_RUNS_PER_ORGANIZATION_MAX: {
    readers: api,
    meaning:
      'Runs of one organization that [agents](workspaces/agents.md#what-a-run-waits-for) plan or apply at the same time; others wait',
  },
  KEYFERRY_RUN_SYNC_WAIT_MS: {
    readers: api,
    meaning:
      'How long a plan waits for [syncs to the variables of its workspace](workspaces/agents.md#what-a-run-waits-for); 0: it does not',
  },
  KEYFERRY_RUN_LOG_DAYS: {
    readers: ['sweep', 'functions'],
    meaning:
      'Days for which logs and plans of ended runs are kept in workspaces without a [data retention policy](workspaces/locks-and-bindings.md#data-retention-policies), except those of the current run; 0: as long as the run',
  },
  KEYFERRY_AUDIT_TRAIL_DAYS: {
    readers: apiAndSweep,
    meaning:
      'Days for which the [audit trails](audit.md#the-audit-trail-of-an-organization) of organizations are kept; 0: none are written',
  },
  KEYFERRY_ASSESSMENT_HOURS: {
    readers: ['sweep'],
    meaning: 'Hours between two [assessments](workspaces/health.md#assessments) of a workspace',
  },
  KEYFERRY_SMTP_URL: {
    readers: apiAndSweep,
    meaning:
      'Mail server for [notifications by e-mail](workspaces/states-and-runs.md#e-mail): `smtp://user:password@host:587` (STARTTLS is required, except on the same machine) or `smtps://…`. `?tls=none` sends in the clear, `?tls=required` demands TLS of a server on the same machine too. Without it no e-mail is sent',
  },
  KEYFERRY_GIT: {
    readers: apiAndSweep,
    meaning:
      'Program that fetches [repositories of workspaces](workspaces/vcs.md), by its name or its path. Where it is missing, workspaces cannot be connected to repositories',
  },
  KEYFERRY_OPA: {
    readers: apiAndSweep,
    default: 'no policies',
    meaning:
      'Program `opa` that evaluates [policies](workspaces/policies.md), by its name or its path. Without it policies and policy sets are refused',
  },
  KEYFERRY_GIT_CA_FILE: {
    readers: apiAndSweep,
    default: "the system's",
    meaning: 'Certificates, in PEM, that verify the servers of repositories',
  },
  KEYFERRY_GIT_KNOWN_HOSTS_FILE: {
    readers: apiAndSweep,
    meaning:
      'Keys of SSH hosts in the form of `known_hosts`. Without it no [repository is fetched over SSH](workspaces/vcs.md#ssh)',
  },
  KEYFERRY_SMTP_FROM: { readers: apiAndSweep, meaning: 'Sender of that e-mail: `Name <address>`' },
} as const satisfies Readonly<Record<string, Setting>>;
