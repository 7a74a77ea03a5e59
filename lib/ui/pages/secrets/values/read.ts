import { kv1, kv2 } from '#client/operations/kv.ts';
import type { CallOptions, PageReply } from '#client/page.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, type ObjectValue, printJson, type Value } from '#client/wire/json.ts';
import { api } from '#ui/state/api.ts';
import type { SecretMount } from '../address.ts';

/** Which version of a secret; 0 is the current one. */
export interface Version {
  readonly mount: SecretMount;
  readonly path: string;
  readonly version: number;
}

/**
 * The values of a version. They are for the caller alone: nothing of this goes into the store of answers, and the call asks the browser to keep
 * nothing either.
 * @throws CallFailure
 */
export async function readValues({ mount, path, version }: Version, options: CallOptions = {}): Promise<ObjectValue> {
  const { data } = mount.hasVersions
    ? await api.call(kv2.read, { mount: mount.path, path }, { version }, options)
    : await api.call(kv1.read, { mount: mount.path, path }, undefined, options);
  const values = mount.hasVersions ? memberOf(data, 'data') : data;
  return isObject(values) ? values : {};
}

/**
 * The names of the keys of a version, without a value. Where the caller may not read the keys alone, the values are read and dropped.
 * @throws CallFailure
 */
export async function readKeys(wanted: Version, { signal }: CallOptions): Promise<PageReply> {
  const { mount, path, version } = wanted;
  const keys = mount.hasVersions
    ? await api.call(kv2.subkeys, { mount: mount.path, path }, { version, depth: 1 }, { signal }).then(
        ({ data }) => memberOf(data, 'subkeys'),
        (cause: unknown) => {
          if (cause instanceof CallFailure && cause.status === 403) return readValues(wanted, { signal });
          throw cause;
        },
      )
    : await readValues(wanted, { signal });
  const names = isObject(keys) ? Object.keys(keys) : [];
  return { status: 200, whole: undefined, data: names, warnings: [], etag: undefined };
}

/** A value as a person reads it: a text as it is, anything else as JSON. */
export const shownValue = (value: Value | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : printJson(value, 2);
