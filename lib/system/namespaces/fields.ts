import { badField } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { NamespaceState } from '#mounts/contract/namespaces.ts';
import { pathText, textMap, textMapPatch } from '#path/fields.ts';

export const path = pathText('Path of the namespace, relative to the namespace of the request');
export const custom_metadata = textMap().optional().meta({ description: 'String pairs that describe the namespace' });
export const metadataPatch = textMapPatch().nullish().meta({ description: 'String pairs to change; null removes one' });

/** These names lead to other paths, or appear to. */
const reserved = ['root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity'];
const segmentMax = 128;
const depthMax = 16;

/** The full path of the namespace that a request names; it need not exist. */
export const fullPath = (within: Namespace, given: string): string =>
  `${within.path}${given.replace(/^\/+|\/+$/g, '')}/`;

/** @throws AppError `bad-request` for a path that no namespace can have */
export function newNamespacePath(within: Namespace, given: string): string {
  const full = fullPath(within, given);
  const segments = full.slice(0, -1).split('/');
  for (const segment of segments) mustBeName(segment);
  if (segments.length > depthMax) throw badField('path', `namespaces may be nested ${depthMax} deep`);
  return full;
}

function mustBeName(segment: string): void {
  if (reserved.includes(segment.toLowerCase()))
    throw badField('path', `${JSON.stringify(segment)} is a reserved path and cannot be used as a namespace`);
  if (/^\w([\w.-]*\w)?$/.test(segment) && segment.length <= segmentMax) return;
  throw badField(
    'path',
    `${JSON.stringify(segment)} cannot be used as a namespace: a name may have at most ${segmentMax} letters, digits and underscores, and between them dashes and dots`,
  );
}

const entriesMax = 64;
const keyMax = 128;
const valueMax = 512;

/** @throws AppError `bad-request` */
export function checkedMetadata(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > entriesMax)
    throw badField('custom_metadata', `custom_metadata: there may be at most ${entriesMax} entries`);
  for (const [key, value] of entries) {
    if (key === '' || key.length > keyMax || value.length > valueMax)
      throw badField(
        'custom_metadata',
        `custom_metadata: a name must have 1 to ${keyMax} characters, and a value at most ${valueMax}`,
      );
    if (`${key}${value}`.includes('\0')) throw badField('custom_metadata', 'custom_metadata: U+0000 cannot be stored');
  }
  return given;
}

/** A namespace as the API family shows it, with its full path. */
export const namespaceView = ({ id, uuid, path, customMetadata, locked, isEnding }: NamespaceState): object => ({
  id,
  uuid,
  path,
  custom_metadata: customMetadata,
  locked,
  tainted: isEnding,
});

/** Its name in the list of its parent. */
export const nameBelow = (parent: Namespace, { path }: NamespaceState): string => path.slice(parent.path.length);
