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

/** Ids and tokens of other namespaces than the root end in this. */
export const suffixOf = (id: string): string => (id === rootNamespace.id ? '' : `.${id}`);

/** The namespaces that there are. */
export interface NamespaceDirectory {
  /** Undefined: there is none with this id, or it is being deleted. */
  namespaceOf(id: string): Promise<Namespace | undefined>;
  /**
   * The namespace that a path leads to which is relative to another one, and what is left of the path. Undefined: there is no
   * namespace with the path `below`.
   */
  locate(below: string, path: string): Promise<{ readonly namespace: Namespace; readonly path: string } | undefined>;
}

/** Where nobody has made a namespace. */
export const onlyRoot: NamespaceDirectory = {
  namespaceOf: async (id) => (id === rootNamespace.id ? rootNamespace : undefined),
  locate: async (below, path) => (below === rootNamespace.path ? { namespace: rootNamespace, path } : undefined),
};
