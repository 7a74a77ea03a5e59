import { badRequest } from '../../../core/errors.ts';
import type { Namespace } from '../../../core/namespace.ts';
import { pathText, textMap, textMapPatch } from '../../../path/fields.ts';

export const path = pathText('Path of the namespace below the one that the request is for');
export const custom_metadata = textMap().optional().meta({ description: 'Names and values for people' });
export const metadataPatch = textMapPatch().nullish().meta({ description: 'What changes; null takes a name away' });

/** They lead to something else, or would look so. */
const reserved = ['root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity'];
const segmentMax = 128;
const depthMax = 16;

/** The full path of a namespace that a request names; it may be none of any. */
export const fullPath = (within: Namespace, given: string): string =>
  `${within.path}${given.replace(/^\/+|\/+$/g, '')}/`;

/** @throws AppError `bad-request` for a path that no namespace can have */
export function newNamespacePath(within: Namespace, given: string): string {
  const full = fullPath(within, given);
  const segments = full.slice(0, -1).split('/');
  for (const segment of segments) mustBeName(segment);
  if (segments.length > depthMax) throw badRequest(`namespaces may be nested ${depthMax} deep`);
  return full;
}

function mustBeName(segment: string): void {
  if (reserved.includes(segment.toLowerCase()))
    throw badRequest(`${JSON.stringify(segment)} is a reserved path and cannot be used as a namespace`);
  if (/^\w([\w.-]*\w)?$/.test(segment) && segment.length <= segmentMax) return;
  throw badRequest(
    `${JSON.stringify(segment)} cannot be used as a namespace: a name has at most ${segmentMax} letters, digits, underscores, and within these dashes and dots`,
  );
}

const entriesMax = 64;
const keyMax = 128;
const valueMax = 512;

/** @throws AppError `bad-request` */
export function checkedMetadata(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > entriesMax) throw badRequest(`custom_metadata: there may be at most ${entriesMax} entries`);
  for (const [key, value] of entries) {
    if (key === '' || key.length > keyMax || value.length > valueMax)
      throw badRequest(`custom_metadata: a name has 1 to ${keyMax} characters and a value at most ${valueMax}`);
    if (`${key}${value}`.includes('\0')) throw badRequest('custom_metadata: U+0000 cannot be stored');
  }
  return given;
}
