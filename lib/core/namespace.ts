/** An isolated part of the service with its own mounts, policies, tokens, identities and destinations. */
export interface Namespace {
  /** Constant for the life of the namespace, and never reused. */
  readonly id: string;
  /** Full path with a trailing slash and no leading one; empty for the root. */
  readonly path: string;
}

/** The namespace of everything that belongs to no other one. */
export const rootNamespace: Namespace = { id: 'root', path: '' };

export const isRoot = ({ id }: Namespace): boolean => id === rootNamespace.id;

/** Whether a namespace is the same as another one or lies below it. */
export const isWithin = (inner: Namespace, outer: Namespace): boolean => inner.path.startsWith(outer.path);

/** The suffix of ids and tokens in every namespace except the root. */
export const suffixOf = (id: string): string => (id === rootNamespace.id ? '' : `.${id}`);

/** The existing namespaces. */
export interface NamespaceDirectory {
  /** Undefined when there is no namespace with this id, or it is being deleted. */
  namespaceOf(id: string): Promise<Namespace | undefined>;
  /**
   * The namespace that a path relative to another one leads to, and the rest of the path. Undefined when there is no namespace
   * with the path `below`.
   */
  locate(below: string, path: string): Promise<{ readonly namespace: Namespace; readonly path: string } | undefined>;
}

/** A directory with only the root namespace. */
export const onlyRoot: NamespaceDirectory = {
  namespaceOf: async (id) => (id === rootNamespace.id ? rootNamespace : undefined),
  locate: async (below, path) => (below === rootNamespace.path ? { namespace: rootNamespace, path } : undefined),
};
