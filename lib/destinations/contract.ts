import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { Problem } from '#core/problem.ts';
import { Secret } from '#core/secret.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import type { Fields, Input } from '#path/fields.ts';

/**
 * Words of this module.
 *
 * - **destination**: an external system that holds copies, of one *type*, with a name and connection details.
 * - **object**: one entry at the destination (a secret, an environment variable).
 * - **definition**: what the API must know about a type, without its SDK: fields, names, limits. `<type>/index.ts`.
 * - **driver**: the few verbs, on top of the SDK. `<type>/driver.ts`, imported only by that type's worker.
 * - **fake**: a local stand-in server for the external system. `<type>/fake/`.
 * - **mark**: 32 hex digits that we attach to each object we create, where the system can store it, so that
 *   after a crash we recognise our own object and remove no other. A *markless* system cannot store one.
 */

export type Granularity = 'secret-path' | 'secret-key';

/** What the API knows about a destination type. */
export interface DestinationDefinition<F extends Fields = Fields> {
  /** Canonical type identifier; also the folder's name. */
  readonly type: string;
  /** The identifier that existing clients of the API family use. */
  readonly alias: string;
  readonly title: string;
  /** Pages of the provider: how to get credentials, and its limits. */
  readonly links: readonly Link[];
  /**
   * Type-specific request fields, with `.meta({ description, sensitive, immutable })`. Optional ones are `.optional()`
   * or `.default()`. The fields common to all types are added by the sync module.
   */
  readonly fields: F;
  /** Which fields go together or exclude each other. Absent: each stands alone. */
  readonly relations?: readonly FieldRelation[];
  /** Rules about several fields. Each problem names its fields; its text has the field and the rule, never a sensitive value. */
  validate(connection: Input<F>): readonly Problem[];
  /**
   * Values that cannot change once the destination exists, beside the fields marked `immutable`, by name. Equal meanings have equal
   * values. A value that the fields do not determine is left out and not compared.
   */
  fixed?(connection: Input<F>): Readonly<Record<string, unknown>>;
  /** A credential that destinations of this type share. Absent: each has its own. */
  readonly credential?: SharedCredential;
  readonly granularity: Granularity;
  /** Name templates used when the destination has none. */
  readonly templates: Readonly<Record<Granularity, string>>;
  readonly names: NameRule;
  /** Absent: the system has no tags. */
  readonly tags?: TagRule;
  /** Set when the system cannot store our mark. */
  readonly markless?: true;
  /** Two writes may leave the same version (for example, times in seconds), so a look may miss a late write. */
  readonly coarseVersions?: true;
  /** What the pages of `list` show of each object beside its name. Set when the driver has this verb. */
  readonly listing?: Listing;
  readonly valueBytesMax: number;
  /** The system cannot store an empty value. */
  readonly refusesEmpty?: true;
  /** Members of sensitive JSON fields that are not secret, so failures may show them. */
  readonly publicMembers?: readonly string[];
  /**
   * Whether the version that a look found is the one that our last put made. Default: they are equal. For systems whose versions have
   * parts that do not count, or that return no version for a put, so that the record is only near it.
   */
  isSameVersion?(recorded: string, found: string): boolean;
  /** Whether both versions are of one object, for systems whose versions name the object. It shows an object of ours that lost its mark. */
  isSameObject?(recorded: string, found: string): boolean;
  /** The provider's published limit, where the learned limit of an account begins. */
  readonly rate: Rate;
  /**
   * The unit for which the provider counts calls (an account and region, a vault, a token), with the address that is called.
   * Destinations with equal results share one rate. The result is hashed with a key before it is used, so it may hold a credential.
   */
  rateAccount(connection: Input<F>): readonly string[];
  /** Calls that a verb takes from the rate, where that is not one: the first put of an object, a look. */
  readonly costs?: { readonly create?: number; readonly look?: number };
  /** The most objects in flight at once for one destination. */
  readonly concurrencyMax: number;
}

/**
 * What a page of objects shows of each: its version, as a look does (`versions`); the time of its last change (`times`); or neither of
 * them (`names`). So a page tells whether an object was changed, only that it may have been, or nothing about it.
 */
export type Listing = 'versions' | 'times' | 'names';

/**
 * Fields that depend on each other, so that a form can show it before a request is refused. `validate` holds the same rules.
 *
 * - `together`: all of them are set, or none.
 * - `alternatives`: sets of fields of which one is used: exactly one, or `required: false` at most one.
 * - `only-with`: they apply only while the other field has one of these values; without values, while it is set.
 */
export type FieldRelation =
  | { readonly kind: 'together'; readonly fields: readonly string[] }
  | { readonly kind: 'alternatives'; readonly sets: readonly (readonly string[])[]; readonly required: boolean }
  | {
      readonly kind: 'only-with';
      readonly fields: readonly string[];
      readonly field: string;
      readonly values?: readonly string[];
    };

/** A page of the provider. */
export interface Link {
  readonly title: string;
  readonly url: string;
}

/** How often one account may be called. */
export interface Rate {
  /** The published limit. The gate learns from it (docs/decisions/0026-learned-rate.md). */
  readonly callsPerSecond: number;
  /** Calls that may go out at once after a pause. */
  readonly burst: number;
  /** Set when the provider counts calls in windows that are so short: their length in milliseconds. */
  readonly windowMs?: number;
}

/** The fields of an app, and of a connection that logs in with one, that determine its host. */
export interface AppAddresses {
  readonly endpoint?: string | undefined;
  readonly enterprise_url?: string | undefined;
}

/**
 * A credential (an app with a private key) that is configured once, at its own path, and that connections name. Tokens signed with it
 * may only go to the host that it was configured for.
 */
export interface SharedCredential {
  /** The segment of its path below `sys/sync/`. */
  readonly path: string;
  /** The field of a connection that names it. */
  readonly namedBy: string;
  /** The additional data of its encryption is `<sealedAs>/<name>`. It never changes. */
  readonly sealedAs: string;
  /** Texts for help and OpenAPI. */
  readonly help: { readonly list: string; readonly one: string; readonly name: string; readonly id: string };
  /** The fields of `AppAddresses`. */
  readonly fields: Fields;
  /** The problems of the addresses. */
  refuse(addresses: AppAddresses): readonly Problem[];
  /** Base URL of the host's API, for addresses that `refuse` accepts. */
  base(addresses: AppAddresses): string;
}

export interface NameRule {
  readonly lengthMax: number;
  /** The form of a valid name, apart from its length and from reserved names. */
  readonly pattern: RegExp;
  /** Text for users: `1 to 512 characters of A-Z a-z 0-9 / _ + = . @ -`. */
  readonly text: string;
  /** Replaces the characters of a rendered name that the system does not allow. It does not cut a name that is too long. */
  normalise(name: string): string;
  /** Why a normalised name is refused, or undefined. */
  refuse(name: string): string | undefined;
  /** Two names are the same object at the remote when their keys are equal (for systems that ignore case). */
  key(name: string): string;
}

export interface TagRule {
  /** Of all tags of an object, the built-in ones among them. */
  readonly countMax: number;
  /** In characters, as for values. */
  readonly keyLengthMax: number;
  readonly valueLengthMax: number;
  /** Replaces characters of custom tags that the system does not allow. @throws AppError `bad-request` for tags that stay invalid */
  normalise(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** The built-in tags, our mark among them. */
  builtIn(mark: string): Readonly<Record<string, string>>;
}

/**
 * The verbs of an external system. All are idempotent and end when `signal` aborts. Failures are `DestinationFailure`. The system may
 * still apply a call that was aborted or whose answer was lost, even after later calls.
 */
export interface Driver {
  /** Creates the object or gives it this value. The `untouched` of its failure shows whether anything was written. */
  put(item: PutItem, signal: AbortSignal): Promise<PutReceipt>;
  /** Several puts in one call, for systems that have one. One outcome per item, in order; it does not throw for one item. */
  putMany?(items: readonly PutItem[], signal: AbortSignal): Promise<readonly PutOutcome[]>;
  /**
   * Removes the object. It succeeds when the object does not exist, and when it is not ours (by its mark or, where versions are
   * unique, by its version) and therefore stays. In a markless system, or one that does not let us look, it removes the object of
   * this name: there only the record shows that it is ours.
   */
  remove(item: RemoveItem, signal: AbortSignal): Promise<void>;
  /** Looks at an object without reading its value. `undefined` when it does not exist, `'unknown'` when we may not look. */
  inspect(name: string, signal: AbortSignal): Promise<Inspection | undefined | 'unknown'>;
  /**
   * Looks at many objects by a listing, for systems whose listing shows the present state. Objects that it does not find may still
   * exist: it stops when further pages would cost more than they save.
   */
  survey?(names: readonly string[], signal: AbortSignal): Promise<Survey>;
  /**
   * A page of the objects whose names begin with a prefix, in an order of the system, without their values. `'unknown'` when we may not
   * list. It may show an earlier state, and objects that are created or removed meanwhile can shift others out of the pages: only a
   * look shows that an object is gone, or as it is now.
   */
  list?(from: ListFrom, signal: AbortSignal): Promise<ListPage | 'unknown'>;
  /**
   * Tests the permissions that the sync needs, by reading calls only, and with them the login. `name` is that of an object that
   * does not exist. One result per permission; a failed test is a result and is not thrown.
   */
  check(name: string, signal: AbortSignal): Promise<readonly CheckedPermission[]>;
  close(): Promise<void>;
}

/**
 * How a put treats an existing object of that name:
 * - `create`: we have no record of it. It is ours only if it carries `mark` (or, in a system without marks, was made at
 *   or after `intendedAt`); otherwise the put fails with kind `conflict` and changes nothing.
 * - `update`: we wrote it. It gets the value; if it is gone it is created again. If a foreign object has replaced it, the put fails as
 *   above: a call without a look carries a condition that only our object meets. A markless system cannot distinguish them.
 * - `adopt`: take over the existing object, whoever wrote it.
 */
export type PutMode = 'create' | 'update' | 'adopt';

export interface PutItem {
  readonly name: string;
  readonly value: Secret;
  /** All wanted tags of the object, including built-in ones. Empty for systems without tags. */
  readonly tags: Readonly<Record<string, string>>;
  /** Keys of tags that we set before and that must be removed. */
  readonly staleTags: readonly string[];
  readonly mode: PutMode;
  readonly mark: string;
  readonly intendedAt: Date;
  /** Identifies the intent: the same for all its puts, and a new one when the object was removed and is wanted again. */
  readonly intent: string;
  /** The remote version of our last put, if there was one. */
  readonly remoteVersion: string | null;
  /**
   * The record is certain: no put of this intent was begun before (`create`), or the object is as our last put left it, with exactly
   * these tags (`update`, `adopt`). Then the value may be written first, and a look is needed only if the answer gives reason for
   * one.
   */
  readonly asRecorded: boolean;
}

export interface PutReceipt {
  /** The remote's identifier of this version, to notice foreign changes; null where the remote gives none. */
  readonly remoteVersion: string | null;
}

export type PutOutcome =
  | { readonly ok: true; readonly receipt: PutReceipt }
  | { readonly ok: false; readonly failure: DestinationFailure };

export interface RemoveItem {
  readonly name: string;
  readonly mark: string;
  readonly remoteVersion: string | null;
  /** As for a put: the object is as our last put left it. Absent when this is unknown. */
  readonly asRecorded?: boolean;
  /** One of many removals of an attempt: the driver skips calls that only spare a later put a conflict after a crash. */
  readonly many?: boolean;
  /** What a survey of this attempt found. When absent, the driver must look. */
  readonly seen?: Inspection | undefined;
}

/** A permission as the provider names it, and what a check found. */
export type CheckedPermission = { readonly permission: string } & (
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly failure: DestinationFailure }
  | { readonly outcome: 'not_testable'; readonly reason: string }
);

export interface Survey {
  /** By the names of the call. */
  readonly found: ReadonlyMap<string, Inspection>;
  /** Pages that were read. */
  readonly calls: number;
}

/** Where a page begins. */
export interface ListFrom {
  /** Of the names, normalised; empty for all objects. */
  readonly prefix: string;
  /** The `after` of the page before; null for the first page. It comes from us, not from a caller. */
  readonly after: string | null;
}

export interface ListPage {
  /** May be empty although other pages follow: where the system cannot select by name, it is done here. */
  readonly objects: readonly Listed[];
  /** Null on the last page. */
  readonly after: string | null;
}

/** An object as a page shows it. */
export interface Listed extends Inspection {
  readonly name: string;
  /** Null also where a page does not show it (`Listing`). */
  readonly remoteVersion: string | null;
  /** Of the last change, by the clock of the system; null where a page has no time. */
  readonly changedAt: Date | null;
}

export interface Inspection {
  readonly remoteVersion: string | null;
  /** Our mark on the object, or null if it has none or the system cannot store marks. */
  readonly mark: string | null;
  /** All tags of the object, in systems that have tags. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Set when something else that a put sets from the connection (a key, replicas in other regions) is out of date. */
  readonly differs?: boolean;
}

/** Opens a driver. It makes no call; connections and tokens are created when first needed, and cached. */
export type OpenDriver<F extends Fields = Fields> = {
  // Written as a method, whose parameters are bivariant, so that the driver of any type fits: its connection was parsed by the
  // fields of its own definition.
  open(connection: Input<F>, context: DriverContext): Driver;
}['open'];

export interface DriverContext {
  readonly network: NetworkPolicy;
  readonly timeouts: { readonly connectMs: number; readonly requestMs: number };
  readonly clock: Clock;
  readonly log: Log;
  /** The type's shared credential of this name, if it exists. */
  readonly app: (name: string) => Promise<AppCredentials | undefined>;
  /** Files of the worker's machine that a destination may name. */
  readonly credentialFiles: CredentialFiles;
  /** Called with each credential that is not in the connection (for example, the token of a login), so that no failure shows it. */
  readonly obtained: (credential: string) => void;
}

export interface CredentialFiles {
  /** The folder of such files. When undefined, no file is read. */
  readonly folder: string | undefined;
  /** Base URLs, beside the provider's own, where credentials from such files may be used. */
  readonly endpoints: readonly string[];
}

export interface AppCredentials {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: Secret;
  /** The host where the app logs in. Default: the type's public one. */
  readonly addresses: AppAddresses;
}

/**
 * Why a call failed. The kind decides on retry and status (`sync/status.ts`):
 * client side: credentials, permission, missing (the container itself: vault, project, repository), name, too-large,
 * conflict, quota (the system accepts no further object), invalid, blocked (the network guard);
 * external: throttled, unavailable, timeout, network; ours: internal.
 */
export type FailureKind =
  | 'credentials'
  | 'permission'
  | 'missing'
  | 'name'
  | 'too-large'
  | 'conflict'
  | 'quota'
  | 'invalid'
  | 'blocked'
  | 'throttled'
  | 'unavailable'
  | 'timeout'
  | 'network'
  | 'internal'
  /** No driver throws it: what a kept plan says no longer fits what is there, and nothing was written. */
  | 'changed';

export interface FailureOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly untouched?: boolean;
  /** The id that the remote gave the request. */
  readonly requestId?: string | undefined;
  /** The remote's own text, uncut. It may quote the request, so only the redaction (`redaction/open-redacted.ts`) may show it. */
  readonly said?: string | undefined;
}

/**
 * The only error that leaves a driver. Its message says what failed, where, and what to do, in our own words. It may contain names,
 * but no value and no text or undocumented code of the remote.
 */
export class DestinationFailure extends Error {
  readonly kind: FailureKind;
  /** From the remote's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** True when the put has certainly changed nothing at the remote, false when it did, may still do so, or this is unknown. */
  readonly untouched: boolean;
  /** The id that the remote gave the request: its support finds the request by it. For logs. */
  readonly requestId: string | undefined;
  /** The remote's own text. It is treated as a secret until the redaction has checked it. */
  readonly said: Secret | undefined;

  constructor(kind: FailureKind, message: string, options?: FailureOptions) {
    super(message, options);
    this.name = 'DestinationFailure';
    this.kind = kind;
    this.retryAfterMs = options?.retryAfterMs;
    this.untouched = options?.untouched === true;
    this.requestId = options?.requestId;
    this.said = options?.said === undefined || options.said === '' ? undefined : new Secret(options.said);
  }

  /** The same failure with another message or with `changes`, as a plain `DestinationFailure`. */
  withMessage(message: string, changes: FailureOptions = {}): DestinationFailure {
    const { kind, cause, retryAfterMs, untouched, requestId } = this;
    const all = { cause, retryAfterMs, untouched, requestId, said: this.said?.reveal(), ...changes };
    const { cause: kept, ...rest } = all;
    return new DestinationFailure(kind, message, kept === undefined ? rest : { ...rest, cause: kept });
  }
}
