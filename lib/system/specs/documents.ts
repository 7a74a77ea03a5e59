import { LRUCache } from 'lru-cache';
import { badField } from '#core/errors.ts';
import type { Mounts } from '#mounts/contract/mounts.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import type { Row } from '#path/contract/row.ts';
import { type DocumentPart, tagOf, wholeDocument } from '#path/documents/openapi.ts';
import { pathItemsUnder } from '#path/documents/path-items.ts';
import type { TypeNames } from '#path/vocabulary.ts';

export interface SpecsParts {
  readonly mounts: Pick<Mounts, 'list'>;
  readonly typeNames: TypeNames;
  /** The engines that answer requests; known when the first request arrives. */
  readonly engines: () => readonly Engine[];
}

export interface Wish {
  readonly generic: boolean;
  readonly context: string;
  readonly vocabulary: Vocabulary;
}

/** A document with more paths would be too large to use; the generic form has few. */
const mountsMax = 100;
/** Bound of the cached texts, in characters. The document of a hundred mounts has more than a million. */
const charactersMax = 32_000_000;
const textsMax = 64;

/**
 * Builds documents as JSON text and caches them: callers who reach the same mounts share one. The cache key contains the paths
 * and kinds of the mounts, so a change of the mount table never leaves an outdated document in use.
 */
export function openDocuments({ engines, typeNames }: SpecsParts): (mounts: readonly Mount[], wish: Wish) => string {
  const kept = new LRUCache<string, string>({
    max: textsMax,
    maxSize: charactersMax,
    sizeCalculation: (text) => text.length + 1,
  });
  return (mounts, wish) => {
    const sections = sectionsOf(engines(), mounts, wish.generic);
    if (sections.length > mountsMax) throw tooMany(sections.length);
    const key = JSON.stringify([wish.vocabulary, wish.context, sections.map(({ kind, path }) => [kind, path])]);
    let text = kept.get(key);
    if (text === undefined) {
      const parts = sections.map((section) => partOf(typeNames, section, wish.vocabulary));
      text = JSON.stringify(wholeDocument(typeNames, parts, wish.vocabulary, wish.context));
      kept.set(key, text);
    }
    return text;
  };
}

const tooMany = (count: number) =>
  badField(
    'generic_mount_paths',
    `the document of ${count} mounts would be too large: at most ${mountsMax} are described individually; send generic_mount_paths=true`,
  );

/** A part of the document: the rows of one mount, or of all mounts of a kind. */
interface Section {
  /** The engine of its rows. */
  readonly kind: string;
  /** With a trailing slash. */
  readonly path: string;
  readonly rows: readonly Row[];
  readonly parameter?: NonNullable<DocumentPart['parameter']>;
}

/** Built-in mounts keep their paths; of the others, each kind is described once when the generic form is requested. */
function sectionsOf(engines: readonly Engine[], mounts: readonly Mount[], generic: boolean): readonly Section[] {
  const sections = new Map<string, Section>();
  for (const mount of mounts) {
    const serving = engines.filter((engine) => serves(engine, mount));
    const isFixed = serving.some(({ always }) => always?.path === mount.path);
    const section = sectionOf(mount, engines, serving, generic && !isFixed);
    sections.set(section.path + section.kind, section);
  }
  return [...sections.values()];
}

function sectionOf(mount: Mount, engines: readonly Engine[], serving: readonly Engine[], generic: boolean): Section {
  const kind = serving.map((engine) => engines.indexOf(engine)).join();
  const rows = serving.flatMap((engine) => engine.rows);
  if (!generic) return { kind, path: mount.path, rows };
  const name = `${mount.type.replaceAll('-', '_')}_mount_path`;
  const folder = mount.path.startsWith('auth/') ? 'auth/' : '';
  return { kind, path: `${folder}{${name}}/`, rows, parameter: { name, example: mount.type } };
}

/** Engines that distinguish mounts of one type come before one that accepts the rest. */
const serves = ({ type, matches }: Engine, mount: Mount): boolean =>
  type === mount.type && (matches === undefined || matches(mount));

function partOf(names: TypeNames, { path, rows, parameter }: Section, vocabulary: Vocabulary): DocumentPart {
  return {
    prefix: `/${path.slice(0, -1)}`,
    items: pathItemsUnder(names, rows, '', vocabulary),
    tag: tagOf(path),
    ...(parameter === undefined ? {} : { parameter }),
  };
}
