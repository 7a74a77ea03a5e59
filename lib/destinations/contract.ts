import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Secret } from '../core/secret.ts';
import type { NetworkPolicy } from '../network/policy.ts';
import type { Fields, Input } from '../path/fields.ts';
import type { Rate } from './frame/rate.ts';

/**
 * Words of this module.
 *
 * - **destination**: an external system that holds copies, of one *type*, with a name and connection details.
 * - **object**: one entry at the destination (a secret, an environment variable).
 * - **definition**: what the API has to know of a type without its SDK: fields, names, limits. `<type>/index.ts`.
 * - **driver**: the few verbs on the SDK. `<type>/driver.ts`, imported by that type's worker only.
 * - **fake**: a local stand-in server for the external system. `<type>/fake/`.
 * - **mark**: 32 hex digits that we attach to each object we create, where the system can store it, so that
 *   after a crash we know our own object again, and remove no other. A *markless* system cannot store one.
 */

export type Granularity = 'secret-path' | 'secret-key';

/** What the API knows of a destination type. */
export interface DestinationDefinition<F extends Fields = Fields> {
  /** Canonical type identifier; also the folder's name. */
  readonly type: string;
  /** The identifier that existing clients of the API family use. */
  readonly alias: string;
  readonly title: string;
  /**
   * Type-specific request fields, with `.meta({ description, sensitive, immutable })`. Optional ones are `.optional()`
   * or `.default()`. The fields common to all types are added by the sync module.
   */
  readonly fields: F;
  /** Rules over several fields. Each text names the field, the problem and the rule; never a sensitive value. */
  validate(connection: Input<F>): readonly string[];
  /**
   * What may not change once the destination exists, beside the fields marked `immutable`: by name, in a form that is equal
   * where the meaning is. What the fields do not tell is left out, and not compared.
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
  /** The system cannot store our mark. Absent: its objects carry it. */
  readonly markless?: true;
  /** Two writes may leave the same version (its times are in seconds, say), so a look does not notice a late write. */
  readonly coarseVersions?: true;
  readonly valueBytesMax: number;
  /** The system keeps no empty value. */
  readonly refusesEmpty?: true;
  /** Members of sensitive JSON fields that are no secret: failures may show them. */
  readonly publicMembers?: readonly string[];
  /**
   * Whether the version that a look found is the one that our last put was answered. Absent: when they are equal. For systems that
   * answer no version to a put, so that what is recorded is near it.
   */
  isSameVersion?(recorded: string, found: string): boolean;
  /** Rate budget: nine tenths of the provider's published limit. */
  readonly rate: Rate;
  /**
   * What the provider counts calls for (an account and region, a vault, a token), with the address that is called: destinations
   * that answer the same share one rate. It is hashed with a key before anybody else sees it, so it may hold a credential.
   */
  rateAccount(connection: Input<F>): readonly string[];
  /** What a verb uses up of the rate, where that is not one call: the first put of an object, a look. */
  readonly costs?: { readonly create?: number; readonly look?: number };
  /** Objects that may be in flight at once for one destination. */
  readonly concurrencyMax: number;
}

/** Fields of an app, and of a connection that logs in by one, that say which host it is for. */
export interface AppAddresses {
  readonly endpoint?: string | undefined;
  readonly enterprise_url?: string | undefined;
}

/**
 * A credential (an app with a private key) that is configured once, below a path of its own, and that connections name. What is
 * signed with it may go to the host that it was configured for, and nowhere else.
 */
export interface SharedCredential {
  /** The segment of its path below `sys/sync/`. */
  readonly path: string;
  /** The field of a connection that names it. */
  readonly namedBy: string;
  /** What its seal binds it to, before its name: additional data `<sealedAs>/<name>`. It never changes. */
  readonly sealedAs: string;
  /** For people, in help and OpenAPI. */
  readonly help: { readonly list: string; readonly one: string; readonly name: string; readonly id: string };
  /** The fields of `AppAddresses`. */
  readonly fields: Fields;
  /** What is wrong with them, in words. */
  refuse(addresses: AppAddresses): readonly string[];
  /** Base URL of the host's API. The addresses were not refused. */
  base(addresses: AppAddresses): string;
}

export interface NameRule {
  readonly lengthMax: number;
  /** For people: `1 to 512 characters of A-Z a-z 0-9 / _ + = . @ -`. */
  readonly text: string;
  /** Brings a rendered name to the system's characters. It does not cut a name that is too long. */
  normalise(name: string): string;
  /** Why a normalised name is refused, or undefined. */
  refuse(name: string): string | undefined;
  /** Two names are the same object at the remote when their keys are equal (for systems that ignore case). */
  key(name: string): string;
}

export interface TagRule {
  readonly countMax: number;
  /** Brings custom tags to the system's characters. Throws `AppError` `bad-request` for what cannot be mended. */
  normalise(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** The built-in tags, our mark among them. */
  builtIn(mark: string): Readonly<Record<string, string>>;
}

/**
 * The verbs of an external system. All are idempotent and end when `signal` aborts. Failures are `DestinationFailure`. A call
 * that was ended, or whose answer was lost, may still be applied by the system, also after later ones.
 */
export interface Driver {
  /** Creates the object or gives it this value. Its failure says by `untouched` whether anything was written. */
  put(item: PutItem, signal: AbortSignal): Promise<PutReceipt>;
  /** Several puts in one call, for systems that have one. One outcome per item, in order; it does not throw for one item. */
  putMany?(items: readonly PutItem[], signal: AbortSignal): Promise<readonly PutOutcome[]>;
  /**
   * Removes the object. An object that is not there is a success, and so is one that is not ours (by its mark or, where
   * they are unique, by its version): it is left alone. A markless system, or one that does not let us look, removes what has
   * the name: there the record alone says that it is ours.
   */
  remove(item: RemoveItem, signal: AbortSignal): Promise<void>;
  /** Looks at an object without reading its value. `undefined`: it is not there. `'unknown'`: we may not look. */
  inspect(name: string, signal: AbortSignal): Promise<Inspection | undefined | 'unknown'>;
  /**
   * Looks at many objects by a list, for systems whose list shows them as they are now. What it does not find may be there all the
   * same: it reads no more pages than pay.
   */
  survey?(names: readonly string[], signal: AbortSignal): Promise<Survey>;
  close(): Promise<void>;
}

/**
 * How a put treats an object of that name which is already there:
 * - `create`: we have no record of it. It is ours only if it carries `mark` (or, in a system without marks, was made at
 *   or after `intendedAt`); otherwise the put fails with kind `conflict` and changes nothing.
 * - `update`: we wrote it. It gets the value; if it is gone it is created again. If somebody else's is in its place, the put fails as
 *   above: a call that goes out without a look carries a condition that only ours fulfils. A markless system cannot tell.
 * - `adopt`: take over whatever is there.
 */
export type PutMode = 'create' | 'update' | 'adopt';

export interface PutItem {
  readonly name: string;
  readonly value: Secret;
  /** All tags the object shall have, built-in ones included. Empty for systems without tags. */
  readonly tags: Readonly<Record<string, string>>;
  /** Keys of tags that we set before and that have to go. */
  readonly staleTags: readonly string[];
  readonly mode: PutMode;
  readonly mark: string;
  readonly intendedAt: Date;
  /** Names the intent: the same in all its puts, and another one when the object was removed and is wanted again. */
  readonly intent: string;
  /** The remote version of our last put, if there was one. */
  readonly remoteVersion: string | null;
  /**
   * The record leaves no doubt: no put of this intent was begun before (`create`), or the object was left as our last put
   * made it, with these very tags (`update`, `adopt`). Then the value may go out first, and a look is needed only where the
   * answer gives reason for one.
   */
  readonly asRecorded: boolean;
}

export interface PutReceipt {
  /** What the remote calls this version, to notice foreign changes; null where the remote gives none. */
  readonly remoteVersion: string | null;
}

export type PutOutcome =
  | { readonly ok: true; readonly receipt: PutReceipt }
  | { readonly ok: false; readonly failure: DestinationFailure };

export interface RemoveItem {
  readonly name: string;
  readonly mark: string;
  readonly remoteVersion: string | null;
  /** As with a put: the object was left as our last put made it. Absent: nobody knows. */
  readonly asRecorded?: boolean;
  /** One of many that an attempt removes: the driver leaves out what only spares a later put a conflict after a crash. */
  readonly many?: boolean;
  /** What a survey of this attempt found. Absent: it has to be looked at. */
  readonly seen?: Inspection | undefined;
}

export interface Survey {
  /** By name, as it was asked for. */
  readonly found: ReadonlyMap<string, Inspection>;
  /** Pages that were read. */
  readonly calls: number;
}

export interface Inspection {
  readonly remoteVersion: string | null;
  /** Our mark on it, or null if it has none or the system has no marks. */
  readonly mark: string | null;
  /** All its tags, in systems that have them. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Something else that a put sets by the connection details (a key, copies in other regions) is not as they say. */
  readonly differs?: boolean;
}

/** Opens a driver. It makes no call; connections and tokens are made when first needed and kept. */
export type OpenDriver<F extends Fields = Fields> = {
  // Written as a method, so that a driver of one type fits where any is meant: what it is opened with was parsed by the
  // fields of its own definition.
  open(connection: Input<F>, context: DriverContext): Driver;
}['open'];

export interface DriverContext {
  readonly network: NetworkPolicy;
  readonly timeouts: { readonly connectMs: number; readonly requestMs: number };
  readonly clock: Clock;
  readonly log: Log;
  /** The type's shared credential of this name. Undefined: there is none. */
  readonly app: (name: string) => Promise<AppCredentials | undefined>;
  /** Files of the worker's machine that a destination may name. Absent: none. */
  readonly credentialFiles?: CredentialFiles | undefined;
  /** Is called with each credential that is not in the connection (tokens of a login, say), so that no failure shows it. */
  readonly obtained?: ((credential: string) => void) | undefined;
}

export interface CredentialFiles {
  /** Such files are below this folder. Undefined: no file is read. */
  readonly folder: string | undefined;
  /** Base URLs beside the provider's own that credentials from such files may be used at. */
  readonly endpoints: readonly string[];
}

export interface AppCredentials {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: Secret;
  /** The host that it signs in at. None: the type's public one. */
  readonly addresses: AppAddresses;
}

/**
 * Why a call failed. The kind decides on retry and status (`sync/status.ts`):
 * client side: credentials, permission, missing (the container itself: vault, project, repository), name, too-large,
 * conflict, quota (the system takes no further object), invalid, blocked (the networking guard);
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
  | 'internal';

export interface FailureOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly untouched?: boolean;
  /** The id that the remote gave the request. */
  readonly requestId?: string | undefined;
  /** What the remote says of it, uncut. It may quote what was sent, so only the exit (`redaction/exit.ts`) shows it. */
  readonly said?: string | undefined;
}

/**
 * The one error that leaves a driver. Its message says what failed, where, and what to do, in our own words: names are in
 * it, never a value, and no text or undocumented code of the remote.
 */
export class DestinationFailure extends Error {
  readonly kind: FailureKind;
  /** From the remote's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The put has changed nothing at the remote, for certain. False: it has, or may yet, or nobody knows. */
  readonly untouched: boolean;
  /** The id that the remote gave the request: its support finds the request by it. For logs. */
  readonly requestId: string | undefined;
  /** What the remote says of it. A secret until the exit has looked at it. */
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
  again(message: string, changes: FailureOptions = {}): DestinationFailure {
    const { kind, cause, retryAfterMs, untouched, requestId } = this;
    const all = { cause, retryAfterMs, untouched, requestId, said: this.said?.reveal(), ...changes };
    const { cause: behind, ...rest } = all;
    return new DestinationFailure(kind, message, behind === undefined ? rest : { ...rest, cause: behind });
  }
}
