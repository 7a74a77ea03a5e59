import { LRUCache } from 'lru-cache';
import { badRequest } from '../../../core/errors.ts';
import type { Engine } from '../../../path/contract/engine.ts';
import type { Mount } from '../../../path/contract/mount.ts';
import type { Vocabulary } from '../../../path/contract/request.ts';
import type { Row } from '../../../path/contract/row.ts';
import { type DocumentPart, tagOf, wholeDocument } from '../../../path/documents/openapi.ts';
import { pathItemsUnder } from '../../../path/documents/path-items.ts';
import type { Mounts } from '../../contract.ts';

export interface SpecsParts {
  readonly mounts: Pick<Mounts, 'list'>;
  /** All that answers requests; known when the first one comes. */
  readonly engines: () => readonly Engine[];
}

export interface Wish {
  readonly generic: boolean;
  readonly context: string;
  readonly vocabulary: Vocabulary;
}

/** More paths than that make a document which nobody reads; kinds of mounts are few. */
const mountsMax = 100;
/** For the texts that are kept, in characters. One of a hundred mounts has more than a million. */
const charactersMax = 32_000_000;
const textsMax = 64;

/**
 * Makes documents as JSON. Their texts are kept: callers who reach the same mounts get the same one, and no change of the mount
 * table leaves an old one in use, since it stands under the paths and kinds of its mounts.
 */
export function openDocuments({ engines }: SpecsParts): (mounts: readonly Mount[], wish: Wish) => string {
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
      const parts = sections.map((section) => partOf(section, wish.vocabulary));
      text = JSON.stringify(wholeDocument(parts, wish.vocabulary, wish.context));
      kept.set(key, text);
    }
    return text;
  };
}

const tooMany = (count: number) =>
  badRequest(
    `the document of ${count} mounts would be too large: at most ${mountsMax} are described one by one; ask with generic_mount_paths=true`,
  );

/** What is described together: the rows of a mount, or of all mounts of a kind. */
interface Section {
  /** Of its rows. */
  readonly kind: string;
  /** With a slash at its end. */
  readonly path: string;
  readonly rows: readonly Row[];
  readonly parameter?: NonNullable<DocumentPart['parameter']>;
}

/** Mounts that are where they are for good keep their paths; of the others each kind is described once if it is wished so. */
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

/** Engines that tell the mounts of one type apart stand before one that takes all the others. */
const serves = ({ type, matches }: Engine, mount: Mount): boolean =>
  type === mount.type && (matches === undefined || matches(mount));

function partOf({ path, rows, parameter }: Section, vocabulary: Vocabulary): DocumentPart {
  return {
    prefix: `/${path.slice(0, -1)}`,
    items: pathItemsUnder(rows, '', vocabulary),
    tag: tagOf(path),
    ...(parameter === undefined ? {} : { parameter }),
  };
}
