import type { Subject, SubjectAlias } from '#auth/policy/template.ts';

/** What the parameters of a template stand for. */
export interface TemplateSubject extends Subject {
  /** Seconds since 1970. */
  readonly now: number;
}

/** Reads the JSON value of a parameter. */
export type Parameter = (subject: TemplateSubject) => unknown;

/**
 * A parameter of a template of claims; undefined for an unknown one. As in the API family, text that is missing is empty, and so are
 * missing objects and lists.
 */
export function parameterOf(name: string): Parameter | undefined {
  if (name.startsWith('time.')) return timeOf(name.slice('time.'.length));
  if (!name.startsWith('identity.entity.')) return undefined;
  const path = name.slice('identity.entity.'.length);
  if (path === 'id') return ({ entity }) => entity?.id ?? '';
  if (path === 'name') return ({ entity }) => entity?.name ?? '';
  if (path === 'groups.ids') return ({ groups }) => groups.map(({ id }) => id);
  if (path === 'groups.names') return ({ groups }) => groups.map((group) => group.name);
  if (path.startsWith('aliases.')) return aliasOf(path.slice('aliases.'.length));
  const member = membersOf('metadata', path);
  return member && (({ entity }) => member(entity?.metadata ?? {}));
}

type Texts = Readonly<Record<string, string>>;

/** `<name>` for all entries, and `<name>.<key>` for one. */
function membersOf(name: string, path: string): ((texts: Texts) => unknown) | undefined {
  if (path === name) return (texts) => texts;
  if (!path.startsWith(`${name}.`)) return undefined;
  const key = path.slice(name.length + 1);
  return key === '' ? undefined : (texts) => (Object.hasOwn(texts, key) ? texts[key] : '');
}

const noAlias: SubjectAlias = { id: '', name: '', metadata: {}, customMetadata: {} };

/** `<mount accessor>.id`, `.name`, `.metadata`, `.custom_metadata`. */
function aliasOf(path: string): Parameter | undefined {
  const [, accessor = '', rest = ''] = /^([^.]+)\.(.+)$/s.exec(path) ?? [];
  const read = aliasMember(rest);
  return read && (({ entity }) => read(entity?.aliases.get(accessor) ?? noAlias));
}

function aliasMember(path: string): ((alias: SubjectAlias) => unknown) | undefined {
  if (path === 'id') return ({ id }) => id;
  if (path === 'name') return ({ name }) => name;
  const metadata = membersOf('metadata', path);
  if (metadata !== undefined) return (alias) => metadata(alias.metadata);
  const custom = membersOf('custom_metadata', path);
  return custom && ((alias) => custom(alias.customMetadata));
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** `now`, `now.plus.<duration>`, `now.minus.<duration>`. */
function timeOf(path: string): Parameter | undefined {
  if (path === 'now') return ({ now }) => now;
  const [, direction, duration = ''] = /^now\.(plus|minus)\.((?:\d{1,9}[smh]){1,3}|\d{1,9})$/.exec(path) ?? [];
  if (direction === undefined) return undefined;
  const parts = duration.match(/\d+[smh]?/g) ?? [];
  const seconds = parts.reduce(
    (sum, part) => sum + Number.parseInt(part, 10) * (unitSeconds[part.at(-1) ?? ''] ?? 1),
    0,
  );
  return ({ now }) => (direction === 'plus' ? now + seconds : now - seconds);
}
