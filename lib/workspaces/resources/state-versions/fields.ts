import { z } from 'zod';
import { sizeRule } from '#path/fields.ts';
import { flag, oneOf, text, whole } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';

/** Limit of a state in a document; larger ones go to the upload address. */
const inlineCharactersMax = 2 * 1024 * 1024;

const base64 = () =>
  z
    .string('must be a string')
    .max(inlineCharactersMax, sizeRule('is too long: send it to the upload address'))
    .refine((value) => /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value), 'is not base64')
    .transform((value) => Buffer.from(value, 'base64'));

/** Attributes of a new state version. */
export const stateVersionFields = {
  serial: whole(0, Number.MAX_SAFE_INTEGER),
  md5: text(32).regex(/^[0-9a-fA-F]{32}$/, 'is not an MD5 hash in hexadecimal digits'),
  lineage: text(255).nullable(),
  force: flag().nullable(),
  intermediate: flag().nullable(),
  state: base64().nullable(),
  'json-state': base64().nullable(),
  'json-state-outputs': base64().nullable(),
};

export const stateStatuses = oneOf([
  'pending',
  'finalized',
  'discarded',
  'backing_data_soft_deleted',
  'backing_data_permanently_deleted',
]);

/** The document of a new state version. Clients send several types. */
export const stateVersionBody = document({ attributes: stateVersionFields, relationships: { run: 'runs' } });
/** The document of a rollback. */
export const rollbackBody = document({ relationships: { 'rollback-state-version': 'state-versions' } });
