import { z } from 'zod';
import type { DestinationDefinition, PutItem } from '#destinations/contract.ts';
import { putOf } from '../driving.ts';

/** A type with names of up to eight lower-case letters and values of up to eight bytes. */
export const small: DestinationDefinition = {
  type: 'small',
  alias: 'small',
  title: 'A small system',
  links: [],
  fields: { token: z.string() },
  validate: () => [],
  granularity: 'secret-path',
  templates: { 'secret-path': 'a', 'secret-key': 'b' },
  names: {
    lengthMax: 8,
    pattern: /^[a-z]+$/,
    text: 'small letters',
    normalise: (name) => name,
    refuse: (name) => (/^[a-z]{1,8}$/.test(name) ? undefined : 'a name has 1 to 8 small letters'),
    key: (name) => name,
  },
  valueBytesMax: 8,
  refusesEmpty: true,
  rate: { callsPerSecond: 1, burst: 1 },
  rateAccount: () => [],
  concurrencyMax: 1,
};

export const item = (name: string, value: string, changes: Partial<PutItem> = {}): PutItem =>
  putOf(name, value, '0'.repeat(32), changes);

/** Verbs that fail unless a test replaces them. */
export const none = {
  remove: () => Promise.reject(new Error('a removal was not expected')),
  look: () => Promise.reject(new Error('a look was not expected')),
  permissions: [],
  close: async () => {},
};
