/** A part of the service that has mounts, policies, tokens, identities and destinations of its own. */
export interface Namespace {
  /** Stays while it exists; no later namespace gets it. */
  readonly id: string;
  /** Full path with a trailing slash and no leading one; empty for the root. */
  readonly path: string;
}

/** The namespace of everything that has not been made in another one. */
export const rootNamespace: Namespace = { id: 'root', path: '' };

export const isRoot = ({ id }: Namespace): boolean => id === rootNamespace.id;

/** Whether a namespace is another one or lies below it. */
export const isWithin = (inner: Namespace, outer: Namespace): boolean => inner.path.startsWith(outer.path);

/** The path of something in `inner` as somebody in `outer` names it, of which `inner` has to be a part. */
export const pathFrom = (outer: Namespace, inner: Namespace, path: string): string =>
  inner.path.slice(outer.path.length) + path;

/** Ids and tokens of other namespaces than the root end in this. */
export const suffixOf = (id: string): string => (id === rootNamespace.id ? '' : `.${id}`);

/** The namespaces that there are. */
export interface NamespaceDirectory {
  /** Undefined: there is none with this id, or it is being deleted. */
  namespaceOf(id: string): Promise<Namespace | undefined>;
}

/** Where nobody has made a namespace. */
export const onlyRoot: NamespaceDirectory = {
  namespaceOf: async (id) => (id === rootNamespace.id ? rootNamespace : undefined),
};
